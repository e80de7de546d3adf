// Generated from schemas/ by `npm run generate`. Not to be edited.
// @ts-nocheck
import type { Validator } from "../schema/validator.js";
export const Plan: Validator = validate20;
const schema31 = {"$id":"plan.schema.json","type":"object","properties":{"format":{"type":"string","const":"edgewise.plan/v1"},"stack":{"$ref":"output-definitions.schema.json#/$defs/stack"},"baseUrl":{"$ref":"output-definitions.schema.json#/$defs/baseUrl"},"toolVersion":{"$ref":"output-definitions.schema.json#/$defs/toolVersion"},"hash":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"summary":{"type":"object","properties":{"create":{"type":"integer","minimum":0},"update":{"type":"integer","minimum":0},"replace":{"type":"integer","minimum":0},"delete":{"type":"integer","minimum":0},"adopt":{"type":"integer","minimum":0},"orphan":{"type":"integer","minimum":0},"unchanged":{"type":"integer","minimum":0}},"required":["create","update","replace","delete","adopt","orphan","unchanged"],"additionalProperties":false},"changes":{"type":"array","items":{"type":"object","properties":{"address":{"$ref":"output-definitions.schema.json#/$defs/address"},"action":{"type":"string","enum":["create","update","replace","delete","adopt","orphan"]},"id":{"type":["string","null"]},"source":{"$ref":"output-definitions.schema.json#/$defs/source"},"fields":{"type":"array","items":{"$ref":"output-definitions.schema.json#/$defs/fieldChange"}},"impact":{"$ref":"output-definitions.schema.json#/$defs/impact"},"reason":{"type":["string","null"]},"origin":{"$ref":"output-definitions.schema.json#/$defs/origin"},"notes":{"type":"array","items":{"type":"string"}}},"required":["address","action","id","source","fields","impact","reason","origin","notes"],"additionalProperties":false}},"operations":{"type":"array","items":{"type":"object","properties":{"id":{"$ref":"output-definitions.schema.json#/$defs/operationId"},"kind":{"$ref":"output-definitions.schema.json#/$defs/operationKind"},"method":{"type":"string","enum":["POST","PATCH","PUT","DELETE"]},"path":{"type":"string","pattern":"^/"},"pathBind":{"type":"object","properties":{"address":{"$ref":"output-definitions.schema.json#/$defs/address"},"part":{"type":"string","const":"id"}},"required":["address","part"],"additionalProperties":false},"address":{"$ref":"output-definitions.schema.json#/$defs/address"},"resourceId":{"type":["string","null"]},"body":{},"bind":{"type":"object","propertyNames":{"pattern":"^/"},"additionalProperties":{"type":"object","properties":{"address":{"$ref":"output-definitions.schema.json#/$defs/address"},"part":{"type":"string","enum":["id","addr"]},"secret":{"type":"string","pattern":"^[^#]+#.+$"}},"additionalProperties":false,"dependentRequired":{"address":["part"],"part":["address"]},"oneOf":[{"required":["address"]},{"required":["secret"]}]}},"after":{"type":"array","items":{"$ref":"output-definitions.schema.json#/$defs/operationId"}},"waits":{"type":"object","propertyNames":{"pattern":"^op-[1-9][0-9]*$"},"additionalProperties":{"type":"string","enum":["same","use","unuse","free","late","last"]}},"why":{"type":["string","null"]},"temporary":{"type":"object","properties":{"restore":{},"takers":{"type":"array","items":{"$ref":"output-definitions.schema.json#/$defs/operationId"}}},"required":["restore","takers"],"additionalProperties":false}},"required":["id","kind","method","path","address","resourceId","body","bind","after","waits","why"],"additionalProperties":false}},"preconditions":{"type":"array","items":{"type":"object","properties":{"address":{"$ref":"output-definitions.schema.json#/$defs/address"},"id":{"type":"string"},"fingerprint":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"},"ignore":{"type":"array","items":{"type":"string"}}},"required":["address","id","fingerprint"],"additionalProperties":false}},"refusals":{"type":"array","items":{"$ref":"output-definitions.schema.json#/$defs/refusal"}},"warnings":{"type":"array","items":{"$ref":"output-definitions.schema.json#/$defs/warning"}},"rehearsal":{"type":["object","null"],"properties":{"converges":{"type":"boolean"},"steps":{"type":"integer","minimum":0}},"required":["converges","steps"],"additionalProperties":false},"owned":{"type":"array","items":{"type":"string"}},"claims":{"type":"array","items":{"type":"string"}},"secrets":{"type":"object","additionalProperties":{"type":"object","properties":{"file":{"type":"string"},"fingerprint":{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"}},"required":["file","fingerprint"],"additionalProperties":false}},"commit":{"type":["string","null"],"pattern":"^[0-9a-f]{40,64}$"},"selection":{"type":"object","properties":{"only":{"type":["array","null"],"items":{"$ref":"output-definitions.schema.json#/$defs/address"}},"labels":{"type":"array","items":{"type":"string","pattern":"^[^=]+="}},"files":{"type":["array","null"],"items":{"type":"string"},"minItems":1},"prune":{"type":"boolean"}},"required":["only","labels","files","prune"],"additionalProperties":false},"relaxations":{"type":"object","properties":{"allow":{"type":"array","items":{"$ref":"output-definitions.schema.json#/$defs/address"}},"maxDeletes":{"type":["string","null"],"pattern":"^[0-9]+%?$"},"allowEmpty":{"type":"boolean"},"takeOver":{"type":"boolean"},"destroy":{"type":"boolean"}},"required":["allow","maxDeletes","allowEmpty","takeOver","destroy"],"additionalProperties":false},"lifted":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string","enum":["deletion-protected","irreversible","lockout","too-many-deletes","empty-desired","ownership-conflict","ownership-lost","id-not-live","adopt-needs-replace","duplicate-marker","address-in-use","still-referenced","ordering-cycle","does-not-converge","stale-plan"]},"address":{"$ref":"output-definitions.schema.json#/$defs/address"}},"required":["code","address"],"additionalProperties":false}},"unavailableSecrets":{"type":"array","items":{"type":"object","properties":{"address":{"$ref":"output-definitions.schema.json#/$defs/address"},"source":{"type":"string"}},"required":["address","source"],"additionalProperties":false}},"base":{"type":"string"}},"required":["format","stack","baseUrl","toolVersion","hash","summary","changes","operations","preconditions","refusals","warnings","rehearsal","owned","claims","secrets","commit","selection","relaxations","lifted","unavailableSecrets"],"additionalProperties":false};
const schema33 = {"type":"string"};
const schema34 = {"type":"string"};
const schema35 = {"type":"string"};
const schema36 = {"type":"string","pattern":"^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"};
const schema37 = {"type":["object","null"],"properties":{"file":{"type":"string"},"line":{"type":"integer","minimum":1}},"required":["file","line"],"additionalProperties":false};
const schema40 = {"type":"string","enum":["none","cosmetic","routing","security","irreversible"]};
const schema39 = {"type":["string","null"],"enum":["desired","drift","both",null]};
const schema43 = {"type":"string","pattern":"^op-[1-9][0-9]*$"};
const schema44 = {"type":"string","enum":["create","patch","module-put","module-delete","delete"]};
const schema53 = {"type":"object","properties":{"code":{"type":"string","pattern":"^[a-z][a-z0-9-]*$"},"message":{"type":"string"},"address":{"type":"string"}},"required":["code","message"],"additionalProperties":false};
const func1 = Object.prototype.hasOwnProperty;
const pattern4 = new RegExp("^sha256:[0-9a-f]{64}$", "u");
const pattern5 = new RegExp("^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/", "u");
const pattern6 = new RegExp("^op-[1-9][0-9]*$", "u");
const pattern7 = new RegExp("^/", "u");
const pattern12 = new RegExp("^[^#]+#.+$", "u");
const pattern19 = new RegExp("^[a-z][a-z0-9-]*$", "u");
const pattern21 = new RegExp("^[0-9a-f]{40,64}$", "u");
const pattern23 = new RegExp("^[^=]+=", "u");
const pattern25 = new RegExp("^[0-9]+%?$", "u");
const schema38 = {"type":"object","properties":{"path":{"type":"string"},"before":{},"after":{},"sensitive":{"type":"boolean"},"unknown":{"type":"boolean"},"unavailable":{"type":"array","items":{"type":"string"}},"origin":{"$ref":"#/$defs/origin"},"impact":{"$ref":"#/$defs/impact"},"reason":{"type":["string","null"]}},"required":["path","before","after","impact","reason"],"additionalProperties":false};

function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate22.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.path === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "path"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.before === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "before"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.after === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "after"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.impact === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "impact"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.reason === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "reason"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
for(const key0 in data){
if(!(func1.call(schema38.properties, key0))){
const err5 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.path !== undefined){
if(typeof data.path !== "string"){
const err6 = {instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.sensitive !== undefined){
if(typeof data.sensitive !== "boolean"){
const err7 = {instancePath:instancePath+"/sensitive",schemaPath:"#/properties/sensitive/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.unknown !== undefined){
if(typeof data.unknown !== "boolean"){
const err8 = {instancePath:instancePath+"/unknown",schemaPath:"#/properties/unknown/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.unavailable !== undefined){
let data3 = data.unavailable;
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
if(typeof data3[i0] !== "string"){
const err9 = {instancePath:instancePath+"/unavailable/" + i0,schemaPath:"#/properties/unavailable/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
else {
const err10 = {instancePath:instancePath+"/unavailable",schemaPath:"#/properties/unavailable/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.origin !== undefined){
let data5 = data.origin;
if((typeof data5 !== "string") && (data5 !== null)){
const err11 = {instancePath:instancePath+"/origin",schemaPath:"#/$defs/origin/type",keyword:"type",params:{type: schema39.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!((((data5 === "desired") || (data5 === "drift")) || (data5 === "both")) || (data5 === null))){
const err12 = {instancePath:instancePath+"/origin",schemaPath:"#/$defs/origin/enum",keyword:"enum",params:{allowedValues: schema39.enum}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data.impact !== undefined){
let data6 = data.impact;
if(typeof data6 !== "string"){
const err13 = {instancePath:instancePath+"/impact",schemaPath:"#/$defs/impact/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!(((((data6 === "none") || (data6 === "cosmetic")) || (data6 === "routing")) || (data6 === "security")) || (data6 === "irreversible"))){
const err14 = {instancePath:instancePath+"/impact",schemaPath:"#/$defs/impact/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data.reason !== undefined){
let data7 = data.reason;
if((typeof data7 !== "string") && (data7 !== null)){
const err15 = {instancePath:instancePath+"/reason",schemaPath:"#/properties/reason/type",keyword:"type",params:{type: schema38.properties.reason.type}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
else {
const err16 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
validate22.errors = vErrors;
return errors === 0;
}
validate22.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema51 = {"type":"object","properties":{"code":{"type":"string","enum":["deletion-protected","irreversible","lockout","too-many-deletes","empty-desired","ownership-conflict","ownership-lost","id-not-live","adopt-needs-replace","duplicate-marker","address-in-use","still-referenced","ordering-cycle","does-not-converge","stale-plan"]},"address":{"$ref":"#/$defs/address"},"message":{"type":"string"},"remedy":{"type":"string"}},"required":["code","message","remedy"],"additionalProperties":false};

function validate24(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate24.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.code === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "code"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.message === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "message"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.remedy === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "remedy"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "code") || (key0 === "address")) || (key0 === "message")) || (key0 === "remedy"))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.code !== undefined){
let data0 = data.code;
if(typeof data0 !== "string"){
const err4 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(!(((((((((((((((data0 === "deletion-protected") || (data0 === "irreversible")) || (data0 === "lockout")) || (data0 === "too-many-deletes")) || (data0 === "empty-desired")) || (data0 === "ownership-conflict")) || (data0 === "ownership-lost")) || (data0 === "id-not-live")) || (data0 === "adopt-needs-replace")) || (data0 === "duplicate-marker")) || (data0 === "address-in-use")) || (data0 === "still-referenced")) || (data0 === "ordering-cycle")) || (data0 === "does-not-converge")) || (data0 === "stale-plan"))){
const err5 = {instancePath:instancePath+"/code",schemaPath:"#/properties/code/enum",keyword:"enum",params:{allowedValues: schema51.properties.code.enum}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.address !== undefined){
let data1 = data.address;
if(typeof data1 === "string"){
if(!pattern5.test(data1)){
const err6 = {instancePath:instancePath+"/address",schemaPath:"#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
else {
const err7 = {instancePath:instancePath+"/address",schemaPath:"#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.message !== undefined){
if(typeof data.message !== "string"){
const err8 = {instancePath:instancePath+"/message",schemaPath:"#/properties/message/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.remedy !== undefined){
if(typeof data.remedy !== "string"){
const err9 = {instancePath:instancePath+"/remedy",schemaPath:"#/properties/remedy/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
else {
const err10 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
validate24.errors = vErrors;
return errors === 0;
}
validate24.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="plan.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.format === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "format"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.stack === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "stack"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.baseUrl === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "baseUrl"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.toolVersion === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "toolVersion"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.hash === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "hash"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.summary === undefined){
const err5 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "summary"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data.changes === undefined){
const err6 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "changes"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data.operations === undefined){
const err7 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "operations"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data.preconditions === undefined){
const err8 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "preconditions"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data.refusals === undefined){
const err9 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "refusals"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data.warnings === undefined){
const err10 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "warnings"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data.rehearsal === undefined){
const err11 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "rehearsal"}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data.owned === undefined){
const err12 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "owned"}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data.claims === undefined){
const err13 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "claims"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data.secrets === undefined){
const err14 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "secrets"}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data.commit === undefined){
const err15 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "commit"}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data.selection === undefined){
const err16 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "selection"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(data.relaxations === undefined){
const err17 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "relaxations"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
if(data.lifted === undefined){
const err18 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "lifted"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data.unavailableSecrets === undefined){
const err19 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "unavailableSecrets"}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
for(const key0 in data){
if(!(func1.call(schema31.properties, key0))){
const err20 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data.format !== undefined){
let data0 = data.format;
if(typeof data0 !== "string"){
const err21 = {instancePath:instancePath+"/format",schemaPath:"#/properties/format/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if("edgewise.plan/v1" !== data0){
const err22 = {instancePath:instancePath+"/format",schemaPath:"#/properties/format/const",keyword:"const",params:{allowedValue: "edgewise.plan/v1"}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data.stack !== undefined){
if(typeof data.stack !== "string"){
const err23 = {instancePath:instancePath+"/stack",schemaPath:"output-definitions.schema.json#/$defs/stack/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data.baseUrl !== undefined){
if(typeof data.baseUrl !== "string"){
const err24 = {instancePath:instancePath+"/baseUrl",schemaPath:"output-definitions.schema.json#/$defs/baseUrl/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data.toolVersion !== undefined){
if(typeof data.toolVersion !== "string"){
const err25 = {instancePath:instancePath+"/toolVersion",schemaPath:"output-definitions.schema.json#/$defs/toolVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data.hash !== undefined){
let data4 = data.hash;
if(typeof data4 === "string"){
if(!pattern4.test(data4)){
const err26 = {instancePath:instancePath+"/hash",schemaPath:"#/properties/hash/pattern",keyword:"pattern",params:{pattern: "^sha256:[0-9a-f]{64}$"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
else {
const err27 = {instancePath:instancePath+"/hash",schemaPath:"#/properties/hash/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data.summary !== undefined){
let data5 = data.summary;
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
if(data5.create === undefined){
const err28 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "create"}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(data5.update === undefined){
const err29 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "update"}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(data5.replace === undefined){
const err30 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "replace"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if(data5.delete === undefined){
const err31 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "delete"}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(data5.adopt === undefined){
const err32 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "adopt"}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
if(data5.orphan === undefined){
const err33 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "orphan"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(data5.unchanged === undefined){
const err34 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/required",keyword:"required",params:{missingProperty: "unchanged"}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
for(const key1 in data5){
if(!(((((((key1 === "create") || (key1 === "update")) || (key1 === "replace")) || (key1 === "delete")) || (key1 === "adopt")) || (key1 === "orphan")) || (key1 === "unchanged"))){
const err35 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
if(data5.create !== undefined){
let data6 = data5.create;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
const err36 = {instancePath:instancePath+"/summary/create",schemaPath:"#/properties/summary/properties/create/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 < 0 || isNaN(data6)){
const err37 = {instancePath:instancePath+"/summary/create",schemaPath:"#/properties/summary/properties/create/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
}
if(data5.update !== undefined){
let data7 = data5.update;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
const err38 = {instancePath:instancePath+"/summary/update",schemaPath:"#/properties/summary/properties/update/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 < 0 || isNaN(data7)){
const err39 = {instancePath:instancePath+"/summary/update",schemaPath:"#/properties/summary/properties/update/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
}
if(data5.replace !== undefined){
let data8 = data5.replace;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
const err40 = {instancePath:instancePath+"/summary/replace",schemaPath:"#/properties/summary/properties/replace/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 < 0 || isNaN(data8)){
const err41 = {instancePath:instancePath+"/summary/replace",schemaPath:"#/properties/summary/properties/replace/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
}
if(data5.delete !== undefined){
let data9 = data5.delete;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
const err42 = {instancePath:instancePath+"/summary/delete",schemaPath:"#/properties/summary/properties/delete/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 < 0 || isNaN(data9)){
const err43 = {instancePath:instancePath+"/summary/delete",schemaPath:"#/properties/summary/properties/delete/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
}
if(data5.adopt !== undefined){
let data10 = data5.adopt;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err44 = {instancePath:instancePath+"/summary/adopt",schemaPath:"#/properties/summary/properties/adopt/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 < 0 || isNaN(data10)){
const err45 = {instancePath:instancePath+"/summary/adopt",schemaPath:"#/properties/summary/properties/adopt/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
}
if(data5.orphan !== undefined){
let data11 = data5.orphan;
if(!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))){
const err46 = {instancePath:instancePath+"/summary/orphan",schemaPath:"#/properties/summary/properties/orphan/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 < 0 || isNaN(data11)){
const err47 = {instancePath:instancePath+"/summary/orphan",schemaPath:"#/properties/summary/properties/orphan/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
}
if(data5.unchanged !== undefined){
let data12 = data5.unchanged;
if(!(((typeof data12 == "number") && (!(data12 % 1) && !isNaN(data12))) && (isFinite(data12)))){
const err48 = {instancePath:instancePath+"/summary/unchanged",schemaPath:"#/properties/summary/properties/unchanged/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
if((typeof data12 == "number") && (isFinite(data12))){
if(data12 < 0 || isNaN(data12)){
const err49 = {instancePath:instancePath+"/summary/unchanged",schemaPath:"#/properties/summary/properties/unchanged/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
}
}
else {
const err50 = {instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data.changes !== undefined){
let data13 = data.changes;
if(Array.isArray(data13)){
const len0 = data13.length;
for(let i0=0; i0<len0; i0++){
let data14 = data13[i0];
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
if(data14.address === undefined){
const err51 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
if(data14.action === undefined){
const err52 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "action"}};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
if(data14.id === undefined){
const err53 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
if(data14.source === undefined){
const err54 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "source"}};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
if(data14.fields === undefined){
const err55 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "fields"}};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
if(data14.impact === undefined){
const err56 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "impact"}};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
if(data14.reason === undefined){
const err57 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "reason"}};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
if(data14.origin === undefined){
const err58 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "origin"}};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
if(data14.notes === undefined){
const err59 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/required",keyword:"required",params:{missingProperty: "notes"}};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
for(const key2 in data14){
if(!(func1.call(schema31.properties.changes.items.properties, key2))){
const err60 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
if(data14.address !== undefined){
let data15 = data14.address;
if(typeof data15 === "string"){
if(!pattern5.test(data15)){
const err61 = {instancePath:instancePath+"/changes/" + i0+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
else {
const err62 = {instancePath:instancePath+"/changes/" + i0+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
if(data14.action !== undefined){
let data16 = data14.action;
if(typeof data16 !== "string"){
const err63 = {instancePath:instancePath+"/changes/" + i0+"/action",schemaPath:"#/properties/changes/items/properties/action/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
if(!((((((data16 === "create") || (data16 === "update")) || (data16 === "replace")) || (data16 === "delete")) || (data16 === "adopt")) || (data16 === "orphan"))){
const err64 = {instancePath:instancePath+"/changes/" + i0+"/action",schemaPath:"#/properties/changes/items/properties/action/enum",keyword:"enum",params:{allowedValues: schema31.properties.changes.items.properties.action.enum}};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
if(data14.id !== undefined){
let data17 = data14.id;
if((typeof data17 !== "string") && (data17 !== null)){
const err65 = {instancePath:instancePath+"/changes/" + i0+"/id",schemaPath:"#/properties/changes/items/properties/id/type",keyword:"type",params:{type: schema31.properties.changes.items.properties.id.type}};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
if(data14.source !== undefined){
let data18 = data14.source;
if((!(data18 && typeof data18 == "object" && !Array.isArray(data18))) && (data18 !== null)){
const err66 = {instancePath:instancePath+"/changes/" + i0+"/source",schemaPath:"output-definitions.schema.json#/$defs/source/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
if(data18.file === undefined){
const err67 = {instancePath:instancePath+"/changes/" + i0+"/source",schemaPath:"output-definitions.schema.json#/$defs/source/required",keyword:"required",params:{missingProperty: "file"}};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
if(data18.line === undefined){
const err68 = {instancePath:instancePath+"/changes/" + i0+"/source",schemaPath:"output-definitions.schema.json#/$defs/source/required",keyword:"required",params:{missingProperty: "line"}};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
for(const key3 in data18){
if(!((key3 === "file") || (key3 === "line"))){
const err69 = {instancePath:instancePath+"/changes/" + i0+"/source",schemaPath:"output-definitions.schema.json#/$defs/source/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
if(data18.file !== undefined){
if(typeof data18.file !== "string"){
const err70 = {instancePath:instancePath+"/changes/" + i0+"/source/file",schemaPath:"output-definitions.schema.json#/$defs/source/properties/file/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
if(data18.line !== undefined){
let data20 = data18.line;
if(!(((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20))) && (isFinite(data20)))){
const err71 = {instancePath:instancePath+"/changes/" + i0+"/source/line",schemaPath:"output-definitions.schema.json#/$defs/source/properties/line/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
if((typeof data20 == "number") && (isFinite(data20))){
if(data20 < 1 || isNaN(data20)){
const err72 = {instancePath:instancePath+"/changes/" + i0+"/source/line",schemaPath:"output-definitions.schema.json#/$defs/source/properties/line/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
}
}
}
if(data14.fields !== undefined){
let data21 = data14.fields;
if(Array.isArray(data21)){
const len1 = data21.length;
for(let i1=0; i1<len1; i1++){
if(!(validate22(data21[i1], {instancePath:instancePath+"/changes/" + i0+"/fields/" + i1,parentData:data21,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
errors = vErrors.length;
}
}
}
else {
const err73 = {instancePath:instancePath+"/changes/" + i0+"/fields",schemaPath:"#/properties/changes/items/properties/fields/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
if(data14.impact !== undefined){
let data23 = data14.impact;
if(typeof data23 !== "string"){
const err74 = {instancePath:instancePath+"/changes/" + i0+"/impact",schemaPath:"output-definitions.schema.json#/$defs/impact/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
if(!(((((data23 === "none") || (data23 === "cosmetic")) || (data23 === "routing")) || (data23 === "security")) || (data23 === "irreversible"))){
const err75 = {instancePath:instancePath+"/changes/" + i0+"/impact",schemaPath:"output-definitions.schema.json#/$defs/impact/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
if(data14.reason !== undefined){
let data24 = data14.reason;
if((typeof data24 !== "string") && (data24 !== null)){
const err76 = {instancePath:instancePath+"/changes/" + i0+"/reason",schemaPath:"#/properties/changes/items/properties/reason/type",keyword:"type",params:{type: schema31.properties.changes.items.properties.reason.type}};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data14.origin !== undefined){
let data25 = data14.origin;
if((typeof data25 !== "string") && (data25 !== null)){
const err77 = {instancePath:instancePath+"/changes/" + i0+"/origin",schemaPath:"output-definitions.schema.json#/$defs/origin/type",keyword:"type",params:{type: schema39.type}};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
if(!((((data25 === "desired") || (data25 === "drift")) || (data25 === "both")) || (data25 === null))){
const err78 = {instancePath:instancePath+"/changes/" + i0+"/origin",schemaPath:"output-definitions.schema.json#/$defs/origin/enum",keyword:"enum",params:{allowedValues: schema39.enum}};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
if(data14.notes !== undefined){
let data26 = data14.notes;
if(Array.isArray(data26)){
const len2 = data26.length;
for(let i2=0; i2<len2; i2++){
if(typeof data26[i2] !== "string"){
const err79 = {instancePath:instancePath+"/changes/" + i0+"/notes/" + i2,schemaPath:"#/properties/changes/items/properties/notes/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
}
else {
const err80 = {instancePath:instancePath+"/changes/" + i0+"/notes",schemaPath:"#/properties/changes/items/properties/notes/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
}
else {
const err81 = {instancePath:instancePath+"/changes/" + i0,schemaPath:"#/properties/changes/items/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
}
else {
const err82 = {instancePath:instancePath+"/changes",schemaPath:"#/properties/changes/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
}
if(data.operations !== undefined){
let data28 = data.operations;
if(Array.isArray(data28)){
const len3 = data28.length;
for(let i3=0; i3<len3; i3++){
let data29 = data28[i3];
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
if(data29.id === undefined){
const err83 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
if(data29.kind === undefined){
const err84 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
if(data29.method === undefined){
const err85 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "method"}};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
if(data29.path === undefined){
const err86 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "path"}};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
if(data29.address === undefined){
const err87 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
if(data29.resourceId === undefined){
const err88 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "resourceId"}};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
if(data29.body === undefined){
const err89 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "body"}};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
if(data29.bind === undefined){
const err90 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "bind"}};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
if(data29.after === undefined){
const err91 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "after"}};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
if(data29.waits === undefined){
const err92 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "waits"}};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
if(data29.why === undefined){
const err93 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/required",keyword:"required",params:{missingProperty: "why"}};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
for(const key4 in data29){
if(!(func1.call(schema31.properties.operations.items.properties, key4))){
const err94 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
if(data29.id !== undefined){
let data30 = data29.id;
if(typeof data30 === "string"){
if(!pattern6.test(data30)){
const err95 = {instancePath:instancePath+"/operations/" + i3+"/id",schemaPath:"output-definitions.schema.json#/$defs/operationId/pattern",keyword:"pattern",params:{pattern: "^op-[1-9][0-9]*$"}};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
else {
const err96 = {instancePath:instancePath+"/operations/" + i3+"/id",schemaPath:"output-definitions.schema.json#/$defs/operationId/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
if(data29.kind !== undefined){
let data31 = data29.kind;
if(typeof data31 !== "string"){
const err97 = {instancePath:instancePath+"/operations/" + i3+"/kind",schemaPath:"output-definitions.schema.json#/$defs/operationKind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
if(!(((((data31 === "create") || (data31 === "patch")) || (data31 === "module-put")) || (data31 === "module-delete")) || (data31 === "delete"))){
const err98 = {instancePath:instancePath+"/operations/" + i3+"/kind",schemaPath:"output-definitions.schema.json#/$defs/operationKind/enum",keyword:"enum",params:{allowedValues: schema44.enum}};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
if(data29.method !== undefined){
let data32 = data29.method;
if(typeof data32 !== "string"){
const err99 = {instancePath:instancePath+"/operations/" + i3+"/method",schemaPath:"#/properties/operations/items/properties/method/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
if(!((((data32 === "POST") || (data32 === "PATCH")) || (data32 === "PUT")) || (data32 === "DELETE"))){
const err100 = {instancePath:instancePath+"/operations/" + i3+"/method",schemaPath:"#/properties/operations/items/properties/method/enum",keyword:"enum",params:{allowedValues: schema31.properties.operations.items.properties.method.enum}};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
}
if(data29.path !== undefined){
let data33 = data29.path;
if(typeof data33 === "string"){
if(!pattern7.test(data33)){
const err101 = {instancePath:instancePath+"/operations/" + i3+"/path",schemaPath:"#/properties/operations/items/properties/path/pattern",keyword:"pattern",params:{pattern: "^/"}};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
else {
const err102 = {instancePath:instancePath+"/operations/" + i3+"/path",schemaPath:"#/properties/operations/items/properties/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
if(data29.pathBind !== undefined){
let data34 = data29.pathBind;
if(data34 && typeof data34 == "object" && !Array.isArray(data34)){
if(data34.address === undefined){
const err103 = {instancePath:instancePath+"/operations/" + i3+"/pathBind",schemaPath:"#/properties/operations/items/properties/pathBind/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
if(data34.part === undefined){
const err104 = {instancePath:instancePath+"/operations/" + i3+"/pathBind",schemaPath:"#/properties/operations/items/properties/pathBind/required",keyword:"required",params:{missingProperty: "part"}};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
for(const key5 in data34){
if(!((key5 === "address") || (key5 === "part"))){
const err105 = {instancePath:instancePath+"/operations/" + i3+"/pathBind",schemaPath:"#/properties/operations/items/properties/pathBind/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5}};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
}
if(data34.address !== undefined){
let data35 = data34.address;
if(typeof data35 === "string"){
if(!pattern5.test(data35)){
const err106 = {instancePath:instancePath+"/operations/" + i3+"/pathBind/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
}
else {
const err107 = {instancePath:instancePath+"/operations/" + i3+"/pathBind/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
}
if(data34.part !== undefined){
let data36 = data34.part;
if(typeof data36 !== "string"){
const err108 = {instancePath:instancePath+"/operations/" + i3+"/pathBind/part",schemaPath:"#/properties/operations/items/properties/pathBind/properties/part/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
if("id" !== data36){
const err109 = {instancePath:instancePath+"/operations/" + i3+"/pathBind/part",schemaPath:"#/properties/operations/items/properties/pathBind/properties/part/const",keyword:"const",params:{allowedValue: "id"}};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
}
}
else {
const err110 = {instancePath:instancePath+"/operations/" + i3+"/pathBind",schemaPath:"#/properties/operations/items/properties/pathBind/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
if(data29.address !== undefined){
let data37 = data29.address;
if(typeof data37 === "string"){
if(!pattern5.test(data37)){
const err111 = {instancePath:instancePath+"/operations/" + i3+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
}
else {
const err112 = {instancePath:instancePath+"/operations/" + i3+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
}
if(data29.resourceId !== undefined){
let data38 = data29.resourceId;
if((typeof data38 !== "string") && (data38 !== null)){
const err113 = {instancePath:instancePath+"/operations/" + i3+"/resourceId",schemaPath:"#/properties/operations/items/properties/resourceId/type",keyword:"type",params:{type: schema31.properties.operations.items.properties.resourceId.type}};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
if(data29.bind !== undefined){
let data39 = data29.bind;
if(data39 && typeof data39 == "object" && !Array.isArray(data39)){
for(const key6 in data39){
const _errs97 = errors;
if(typeof key6 === "string"){
if(!pattern7.test(key6)){
const err114 = {instancePath:instancePath+"/operations/" + i3+"/bind",schemaPath:"#/properties/operations/items/properties/bind/propertyNames/pattern",keyword:"pattern",params:{pattern: "^/"},propertyName:key6};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
var valid25 = _errs97 === errors;
if(!valid25){
const err115 = {instancePath:instancePath+"/operations/" + i3+"/bind",schemaPath:"#/properties/operations/items/properties/bind/propertyNames",keyword:"propertyNames",params:{propertyName: key6}};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
}
for(const key7 in data39){
let data40 = data39[key7];
const _errs101 = errors;
let valid27 = false;
let passing0 = null;
const _errs102 = errors;
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
if(data40.address === undefined){
const err116 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/oneOf/0/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
var _valid0 = _errs102 === errors;
if(_valid0){
valid27 = true;
passing0 = 0;
}
const _errs103 = errors;
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
if(data40.secret === undefined){
const err117 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/oneOf/1/required",keyword:"required",params:{missingProperty: "secret"}};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
var _valid0 = _errs103 === errors;
if(_valid0 && valid27){
valid27 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid27 = true;
passing0 = 1;
}
}
if(!valid27){
const err118 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/oneOf",keyword:"oneOf",params:{passingSchemas: passing0}};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
else {
errors = _errs101;
if(vErrors !== null){
if(_errs101){
vErrors.length = _errs101;
}
else {
vErrors = null;
}
}
}
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
for(const key8 in data40){
if(!(((key8 === "address") || (key8 === "part")) || (key8 === "secret"))){
const err119 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8}};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
if(data40.address !== undefined){
let data41 = data40.address;
if(typeof data41 === "string"){
if(!pattern5.test(data41)){
const err120 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1")+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
else {
const err121 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1")+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
}
if(data40.part !== undefined){
let data42 = data40.part;
if(typeof data42 !== "string"){
const err122 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1")+"/part",schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/properties/part/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
if(!((data42 === "id") || (data42 === "addr"))){
const err123 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1")+"/part",schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/properties/part/enum",keyword:"enum",params:{allowedValues: schema31.properties.operations.items.properties.bind.additionalProperties.properties.part.enum}};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
}
if(data40.secret !== undefined){
let data43 = data40.secret;
if(typeof data43 === "string"){
if(!pattern12.test(data43)){
const err124 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1")+"/secret",schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/properties/secret/pattern",keyword:"pattern",params:{pattern: "^[^#]+#.+$"}};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
}
else {
const err125 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1")+"/secret",schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/properties/secret/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
}
if(data40.address !== undefined){
if(data40.part === undefined){
const err126 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/dependentRequired",keyword:"dependentRequired",params:{property: "address",
    missingProperty: "part",
    depsCount: 1,
    deps: "part"}};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
if(data40.part !== undefined){
if(data40.address === undefined){
const err127 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/dependentRequired",keyword:"dependentRequired",params:{property: "part",
    missingProperty: "address",
    depsCount: 1,
    deps: "address"}};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
}
else {
const err128 = {instancePath:instancePath+"/operations/" + i3+"/bind/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/bind/additionalProperties/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
}
}
else {
const err129 = {instancePath:instancePath+"/operations/" + i3+"/bind",schemaPath:"#/properties/operations/items/properties/bind/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
if(data29.after !== undefined){
let data44 = data29.after;
if(Array.isArray(data44)){
const len4 = data44.length;
for(let i4=0; i4<len4; i4++){
let data45 = data44[i4];
if(typeof data45 === "string"){
if(!pattern6.test(data45)){
const err130 = {instancePath:instancePath+"/operations/" + i3+"/after/" + i4,schemaPath:"output-definitions.schema.json#/$defs/operationId/pattern",keyword:"pattern",params:{pattern: "^op-[1-9][0-9]*$"}};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
}
else {
const err131 = {instancePath:instancePath+"/operations/" + i3+"/after/" + i4,schemaPath:"output-definitions.schema.json#/$defs/operationId/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
}
else {
const err132 = {instancePath:instancePath+"/operations/" + i3+"/after",schemaPath:"#/properties/operations/items/properties/after/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
}
if(data29.waits !== undefined){
let data46 = data29.waits;
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
for(const key9 in data46){
const _errs119 = errors;
if(typeof key9 === "string"){
if(!pattern6.test(key9)){
const err133 = {instancePath:instancePath+"/operations/" + i3+"/waits",schemaPath:"#/properties/operations/items/properties/waits/propertyNames/pattern",keyword:"pattern",params:{pattern: "^op-[1-9][0-9]*$"},propertyName:key9};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
var valid33 = _errs119 === errors;
if(!valid33){
const err134 = {instancePath:instancePath+"/operations/" + i3+"/waits",schemaPath:"#/properties/operations/items/properties/waits/propertyNames",keyword:"propertyNames",params:{propertyName: key9}};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
}
for(const key10 in data46){
let data47 = data46[key10];
if(typeof data47 !== "string"){
const err135 = {instancePath:instancePath+"/operations/" + i3+"/waits/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/waits/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
if(!((((((data47 === "same") || (data47 === "use")) || (data47 === "unuse")) || (data47 === "free")) || (data47 === "late")) || (data47 === "last"))){
const err136 = {instancePath:instancePath+"/operations/" + i3+"/waits/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/operations/items/properties/waits/additionalProperties/enum",keyword:"enum",params:{allowedValues: schema31.properties.operations.items.properties.waits.additionalProperties.enum}};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
}
}
else {
const err137 = {instancePath:instancePath+"/operations/" + i3+"/waits",schemaPath:"#/properties/operations/items/properties/waits/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
}
if(data29.why !== undefined){
let data48 = data29.why;
if((typeof data48 !== "string") && (data48 !== null)){
const err138 = {instancePath:instancePath+"/operations/" + i3+"/why",schemaPath:"#/properties/operations/items/properties/why/type",keyword:"type",params:{type: schema31.properties.operations.items.properties.why.type}};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
}
if(data29.temporary !== undefined){
let data49 = data29.temporary;
if(data49 && typeof data49 == "object" && !Array.isArray(data49)){
if(data49.restore === undefined){
const err139 = {instancePath:instancePath+"/operations/" + i3+"/temporary",schemaPath:"#/properties/operations/items/properties/temporary/required",keyword:"required",params:{missingProperty: "restore"}};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
if(data49.takers === undefined){
const err140 = {instancePath:instancePath+"/operations/" + i3+"/temporary",schemaPath:"#/properties/operations/items/properties/temporary/required",keyword:"required",params:{missingProperty: "takers"}};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
for(const key11 in data49){
if(!((key11 === "restore") || (key11 === "takers"))){
const err141 = {instancePath:instancePath+"/operations/" + i3+"/temporary",schemaPath:"#/properties/operations/items/properties/temporary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11}};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
}
if(data49.takers !== undefined){
let data50 = data49.takers;
if(Array.isArray(data50)){
const len5 = data50.length;
for(let i5=0; i5<len5; i5++){
let data51 = data50[i5];
if(typeof data51 === "string"){
if(!pattern6.test(data51)){
const err142 = {instancePath:instancePath+"/operations/" + i3+"/temporary/takers/" + i5,schemaPath:"output-definitions.schema.json#/$defs/operationId/pattern",keyword:"pattern",params:{pattern: "^op-[1-9][0-9]*$"}};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
}
else {
const err143 = {instancePath:instancePath+"/operations/" + i3+"/temporary/takers/" + i5,schemaPath:"output-definitions.schema.json#/$defs/operationId/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
}
}
else {
const err144 = {instancePath:instancePath+"/operations/" + i3+"/temporary/takers",schemaPath:"#/properties/operations/items/properties/temporary/properties/takers/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
}
}
else {
const err145 = {instancePath:instancePath+"/operations/" + i3+"/temporary",schemaPath:"#/properties/operations/items/properties/temporary/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
}
}
else {
const err146 = {instancePath:instancePath+"/operations/" + i3,schemaPath:"#/properties/operations/items/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
}
}
else {
const err147 = {instancePath:instancePath+"/operations",schemaPath:"#/properties/operations/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
}
if(data.preconditions !== undefined){
let data52 = data.preconditions;
if(Array.isArray(data52)){
const len6 = data52.length;
for(let i6=0; i6<len6; i6++){
let data53 = data52[i6];
if(data53 && typeof data53 == "object" && !Array.isArray(data53)){
if(data53.address === undefined){
const err148 = {instancePath:instancePath+"/preconditions/" + i6,schemaPath:"#/properties/preconditions/items/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
if(data53.id === undefined){
const err149 = {instancePath:instancePath+"/preconditions/" + i6,schemaPath:"#/properties/preconditions/items/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
if(data53.fingerprint === undefined){
const err150 = {instancePath:instancePath+"/preconditions/" + i6,schemaPath:"#/properties/preconditions/items/required",keyword:"required",params:{missingProperty: "fingerprint"}};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
for(const key12 in data53){
if(!((((key12 === "address") || (key12 === "id")) || (key12 === "fingerprint")) || (key12 === "ignore"))){
const err151 = {instancePath:instancePath+"/preconditions/" + i6,schemaPath:"#/properties/preconditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key12}};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
}
if(data53.address !== undefined){
let data54 = data53.address;
if(typeof data54 === "string"){
if(!pattern5.test(data54)){
const err152 = {instancePath:instancePath+"/preconditions/" + i6+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
}
else {
const err153 = {instancePath:instancePath+"/preconditions/" + i6+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
}
if(data53.id !== undefined){
if(typeof data53.id !== "string"){
const err154 = {instancePath:instancePath+"/preconditions/" + i6+"/id",schemaPath:"#/properties/preconditions/items/properties/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
}
if(data53.fingerprint !== undefined){
let data56 = data53.fingerprint;
if(typeof data56 === "string"){
if(!pattern4.test(data56)){
const err155 = {instancePath:instancePath+"/preconditions/" + i6+"/fingerprint",schemaPath:"#/properties/preconditions/items/properties/fingerprint/pattern",keyword:"pattern",params:{pattern: "^sha256:[0-9a-f]{64}$"}};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
}
else {
const err156 = {instancePath:instancePath+"/preconditions/" + i6+"/fingerprint",schemaPath:"#/properties/preconditions/items/properties/fingerprint/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
}
if(data53.ignore !== undefined){
let data57 = data53.ignore;
if(Array.isArray(data57)){
const len7 = data57.length;
for(let i7=0; i7<len7; i7++){
if(typeof data57[i7] !== "string"){
const err157 = {instancePath:instancePath+"/preconditions/" + i6+"/ignore/" + i7,schemaPath:"#/properties/preconditions/items/properties/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
}
}
else {
const err158 = {instancePath:instancePath+"/preconditions/" + i6+"/ignore",schemaPath:"#/properties/preconditions/items/properties/ignore/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
}
}
else {
const err159 = {instancePath:instancePath+"/preconditions/" + i6,schemaPath:"#/properties/preconditions/items/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
}
}
else {
const err160 = {instancePath:instancePath+"/preconditions",schemaPath:"#/properties/preconditions/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
}
if(data.refusals !== undefined){
let data59 = data.refusals;
if(Array.isArray(data59)){
const len8 = data59.length;
for(let i8=0; i8<len8; i8++){
if(!(validate24(data59[i8], {instancePath:instancePath+"/refusals/" + i8,parentData:data59,parentDataProperty:i8,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
errors = vErrors.length;
}
}
}
else {
const err161 = {instancePath:instancePath+"/refusals",schemaPath:"#/properties/refusals/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
}
if(data.warnings !== undefined){
let data61 = data.warnings;
if(Array.isArray(data61)){
const len9 = data61.length;
for(let i9=0; i9<len9; i9++){
let data62 = data61[i9];
if(data62 && typeof data62 == "object" && !Array.isArray(data62)){
if(data62.code === undefined){
const err162 = {instancePath:instancePath+"/warnings/" + i9,schemaPath:"output-definitions.schema.json#/$defs/warning/required",keyword:"required",params:{missingProperty: "code"}};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
if(data62.message === undefined){
const err163 = {instancePath:instancePath+"/warnings/" + i9,schemaPath:"output-definitions.schema.json#/$defs/warning/required",keyword:"required",params:{missingProperty: "message"}};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
for(const key13 in data62){
if(!(((key13 === "code") || (key13 === "message")) || (key13 === "address"))){
const err164 = {instancePath:instancePath+"/warnings/" + i9,schemaPath:"output-definitions.schema.json#/$defs/warning/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13}};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
}
if(data62.code !== undefined){
let data63 = data62.code;
if(typeof data63 === "string"){
if(!pattern19.test(data63)){
const err165 = {instancePath:instancePath+"/warnings/" + i9+"/code",schemaPath:"output-definitions.schema.json#/$defs/warning/properties/code/pattern",keyword:"pattern",params:{pattern: "^[a-z][a-z0-9-]*$"}};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
}
else {
const err166 = {instancePath:instancePath+"/warnings/" + i9+"/code",schemaPath:"output-definitions.schema.json#/$defs/warning/properties/code/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err166];
}
else {
vErrors.push(err166);
}
errors++;
}
}
if(data62.message !== undefined){
if(typeof data62.message !== "string"){
const err167 = {instancePath:instancePath+"/warnings/" + i9+"/message",schemaPath:"output-definitions.schema.json#/$defs/warning/properties/message/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err167];
}
else {
vErrors.push(err167);
}
errors++;
}
}
if(data62.address !== undefined){
if(typeof data62.address !== "string"){
const err168 = {instancePath:instancePath+"/warnings/" + i9+"/address",schemaPath:"output-definitions.schema.json#/$defs/warning/properties/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err168];
}
else {
vErrors.push(err168);
}
errors++;
}
}
}
else {
const err169 = {instancePath:instancePath+"/warnings/" + i9,schemaPath:"output-definitions.schema.json#/$defs/warning/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err169];
}
else {
vErrors.push(err169);
}
errors++;
}
}
}
else {
const err170 = {instancePath:instancePath+"/warnings",schemaPath:"#/properties/warnings/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err170];
}
else {
vErrors.push(err170);
}
errors++;
}
}
if(data.rehearsal !== undefined){
let data66 = data.rehearsal;
if((!(data66 && typeof data66 == "object" && !Array.isArray(data66))) && (data66 !== null)){
const err171 = {instancePath:instancePath+"/rehearsal",schemaPath:"#/properties/rehearsal/type",keyword:"type",params:{type: schema31.properties.rehearsal.type}};
if(vErrors === null){
vErrors = [err171];
}
else {
vErrors.push(err171);
}
errors++;
}
if(data66 && typeof data66 == "object" && !Array.isArray(data66)){
if(data66.converges === undefined){
const err172 = {instancePath:instancePath+"/rehearsal",schemaPath:"#/properties/rehearsal/required",keyword:"required",params:{missingProperty: "converges"}};
if(vErrors === null){
vErrors = [err172];
}
else {
vErrors.push(err172);
}
errors++;
}
if(data66.steps === undefined){
const err173 = {instancePath:instancePath+"/rehearsal",schemaPath:"#/properties/rehearsal/required",keyword:"required",params:{missingProperty: "steps"}};
if(vErrors === null){
vErrors = [err173];
}
else {
vErrors.push(err173);
}
errors++;
}
for(const key14 in data66){
if(!((key14 === "converges") || (key14 === "steps"))){
const err174 = {instancePath:instancePath+"/rehearsal",schemaPath:"#/properties/rehearsal/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14}};
if(vErrors === null){
vErrors = [err174];
}
else {
vErrors.push(err174);
}
errors++;
}
}
if(data66.converges !== undefined){
if(typeof data66.converges !== "boolean"){
const err175 = {instancePath:instancePath+"/rehearsal/converges",schemaPath:"#/properties/rehearsal/properties/converges/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err175];
}
else {
vErrors.push(err175);
}
errors++;
}
}
if(data66.steps !== undefined){
let data68 = data66.steps;
if(!(((typeof data68 == "number") && (!(data68 % 1) && !isNaN(data68))) && (isFinite(data68)))){
const err176 = {instancePath:instancePath+"/rehearsal/steps",schemaPath:"#/properties/rehearsal/properties/steps/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err176];
}
else {
vErrors.push(err176);
}
errors++;
}
if((typeof data68 == "number") && (isFinite(data68))){
if(data68 < 0 || isNaN(data68)){
const err177 = {instancePath:instancePath+"/rehearsal/steps",schemaPath:"#/properties/rehearsal/properties/steps/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err177];
}
else {
vErrors.push(err177);
}
errors++;
}
}
}
}
}
if(data.owned !== undefined){
let data69 = data.owned;
if(Array.isArray(data69)){
const len10 = data69.length;
for(let i10=0; i10<len10; i10++){
if(typeof data69[i10] !== "string"){
const err178 = {instancePath:instancePath+"/owned/" + i10,schemaPath:"#/properties/owned/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err178];
}
else {
vErrors.push(err178);
}
errors++;
}
}
}
else {
const err179 = {instancePath:instancePath+"/owned",schemaPath:"#/properties/owned/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err179];
}
else {
vErrors.push(err179);
}
errors++;
}
}
if(data.claims !== undefined){
let data71 = data.claims;
if(Array.isArray(data71)){
const len11 = data71.length;
for(let i11=0; i11<len11; i11++){
if(typeof data71[i11] !== "string"){
const err180 = {instancePath:instancePath+"/claims/" + i11,schemaPath:"#/properties/claims/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err180];
}
else {
vErrors.push(err180);
}
errors++;
}
}
}
else {
const err181 = {instancePath:instancePath+"/claims",schemaPath:"#/properties/claims/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err181];
}
else {
vErrors.push(err181);
}
errors++;
}
}
if(data.secrets !== undefined){
let data73 = data.secrets;
if(data73 && typeof data73 == "object" && !Array.isArray(data73)){
for(const key15 in data73){
let data74 = data73[key15];
if(data74 && typeof data74 == "object" && !Array.isArray(data74)){
if(data74.file === undefined){
const err182 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/secrets/additionalProperties/required",keyword:"required",params:{missingProperty: "file"}};
if(vErrors === null){
vErrors = [err182];
}
else {
vErrors.push(err182);
}
errors++;
}
if(data74.fingerprint === undefined){
const err183 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/secrets/additionalProperties/required",keyword:"required",params:{missingProperty: "fingerprint"}};
if(vErrors === null){
vErrors = [err183];
}
else {
vErrors.push(err183);
}
errors++;
}
for(const key16 in data74){
if(!((key16 === "file") || (key16 === "fingerprint"))){
const err184 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/secrets/additionalProperties/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key16}};
if(vErrors === null){
vErrors = [err184];
}
else {
vErrors.push(err184);
}
errors++;
}
}
if(data74.file !== undefined){
if(typeof data74.file !== "string"){
const err185 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/file",schemaPath:"#/properties/secrets/additionalProperties/properties/file/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err185];
}
else {
vErrors.push(err185);
}
errors++;
}
}
if(data74.fingerprint !== undefined){
let data76 = data74.fingerprint;
if(typeof data76 === "string"){
if(!pattern4.test(data76)){
const err186 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/fingerprint",schemaPath:"#/properties/secrets/additionalProperties/properties/fingerprint/pattern",keyword:"pattern",params:{pattern: "^sha256:[0-9a-f]{64}$"}};
if(vErrors === null){
vErrors = [err186];
}
else {
vErrors.push(err186);
}
errors++;
}
}
else {
const err187 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1")+"/fingerprint",schemaPath:"#/properties/secrets/additionalProperties/properties/fingerprint/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err187];
}
else {
vErrors.push(err187);
}
errors++;
}
}
}
else {
const err188 = {instancePath:instancePath+"/secrets/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/secrets/additionalProperties/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err188];
}
else {
vErrors.push(err188);
}
errors++;
}
}
}
else {
const err189 = {instancePath:instancePath+"/secrets",schemaPath:"#/properties/secrets/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err189];
}
else {
vErrors.push(err189);
}
errors++;
}
}
if(data.commit !== undefined){
let data77 = data.commit;
if((typeof data77 !== "string") && (data77 !== null)){
const err190 = {instancePath:instancePath+"/commit",schemaPath:"#/properties/commit/type",keyword:"type",params:{type: schema31.properties.commit.type}};
if(vErrors === null){
vErrors = [err190];
}
else {
vErrors.push(err190);
}
errors++;
}
if(typeof data77 === "string"){
if(!pattern21.test(data77)){
const err191 = {instancePath:instancePath+"/commit",schemaPath:"#/properties/commit/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{40,64}$"}};
if(vErrors === null){
vErrors = [err191];
}
else {
vErrors.push(err191);
}
errors++;
}
}
}
if(data.selection !== undefined){
let data78 = data.selection;
if(data78 && typeof data78 == "object" && !Array.isArray(data78)){
if(data78.only === undefined){
const err192 = {instancePath:instancePath+"/selection",schemaPath:"#/properties/selection/required",keyword:"required",params:{missingProperty: "only"}};
if(vErrors === null){
vErrors = [err192];
}
else {
vErrors.push(err192);
}
errors++;
}
if(data78.labels === undefined){
const err193 = {instancePath:instancePath+"/selection",schemaPath:"#/properties/selection/required",keyword:"required",params:{missingProperty: "labels"}};
if(vErrors === null){
vErrors = [err193];
}
else {
vErrors.push(err193);
}
errors++;
}
if(data78.files === undefined){
const err194 = {instancePath:instancePath+"/selection",schemaPath:"#/properties/selection/required",keyword:"required",params:{missingProperty: "files"}};
if(vErrors === null){
vErrors = [err194];
}
else {
vErrors.push(err194);
}
errors++;
}
if(data78.prune === undefined){
const err195 = {instancePath:instancePath+"/selection",schemaPath:"#/properties/selection/required",keyword:"required",params:{missingProperty: "prune"}};
if(vErrors === null){
vErrors = [err195];
}
else {
vErrors.push(err195);
}
errors++;
}
for(const key17 in data78){
if(!((((key17 === "only") || (key17 === "labels")) || (key17 === "files")) || (key17 === "prune"))){
const err196 = {instancePath:instancePath+"/selection",schemaPath:"#/properties/selection/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17}};
if(vErrors === null){
vErrors = [err196];
}
else {
vErrors.push(err196);
}
errors++;
}
}
if(data78.only !== undefined){
let data79 = data78.only;
if((!(Array.isArray(data79))) && (data79 !== null)){
const err197 = {instancePath:instancePath+"/selection/only",schemaPath:"#/properties/selection/properties/only/type",keyword:"type",params:{type: schema31.properties.selection.properties.only.type}};
if(vErrors === null){
vErrors = [err197];
}
else {
vErrors.push(err197);
}
errors++;
}
if(Array.isArray(data79)){
const len12 = data79.length;
for(let i12=0; i12<len12; i12++){
let data80 = data79[i12];
if(typeof data80 === "string"){
if(!pattern5.test(data80)){
const err198 = {instancePath:instancePath+"/selection/only/" + i12,schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err198];
}
else {
vErrors.push(err198);
}
errors++;
}
}
else {
const err199 = {instancePath:instancePath+"/selection/only/" + i12,schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err199];
}
else {
vErrors.push(err199);
}
errors++;
}
}
}
}
if(data78.labels !== undefined){
let data81 = data78.labels;
if(Array.isArray(data81)){
const len13 = data81.length;
for(let i13=0; i13<len13; i13++){
let data82 = data81[i13];
if(typeof data82 === "string"){
if(!pattern23.test(data82)){
const err200 = {instancePath:instancePath+"/selection/labels/" + i13,schemaPath:"#/properties/selection/properties/labels/items/pattern",keyword:"pattern",params:{pattern: "^[^=]+="}};
if(vErrors === null){
vErrors = [err200];
}
else {
vErrors.push(err200);
}
errors++;
}
}
else {
const err201 = {instancePath:instancePath+"/selection/labels/" + i13,schemaPath:"#/properties/selection/properties/labels/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err201];
}
else {
vErrors.push(err201);
}
errors++;
}
}
}
else {
const err202 = {instancePath:instancePath+"/selection/labels",schemaPath:"#/properties/selection/properties/labels/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err202];
}
else {
vErrors.push(err202);
}
errors++;
}
}
if(data78.files !== undefined){
let data83 = data78.files;
if((!(Array.isArray(data83))) && (data83 !== null)){
const err203 = {instancePath:instancePath+"/selection/files",schemaPath:"#/properties/selection/properties/files/type",keyword:"type",params:{type: schema31.properties.selection.properties.files.type}};
if(vErrors === null){
vErrors = [err203];
}
else {
vErrors.push(err203);
}
errors++;
}
if(Array.isArray(data83)){
if(data83.length < 1){
const err204 = {instancePath:instancePath+"/selection/files",schemaPath:"#/properties/selection/properties/files/minItems",keyword:"minItems",params:{limit: 1}};
if(vErrors === null){
vErrors = [err204];
}
else {
vErrors.push(err204);
}
errors++;
}
const len14 = data83.length;
for(let i14=0; i14<len14; i14++){
if(typeof data83[i14] !== "string"){
const err205 = {instancePath:instancePath+"/selection/files/" + i14,schemaPath:"#/properties/selection/properties/files/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err205];
}
else {
vErrors.push(err205);
}
errors++;
}
}
}
}
if(data78.prune !== undefined){
if(typeof data78.prune !== "boolean"){
const err206 = {instancePath:instancePath+"/selection/prune",schemaPath:"#/properties/selection/properties/prune/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err206];
}
else {
vErrors.push(err206);
}
errors++;
}
}
}
else {
const err207 = {instancePath:instancePath+"/selection",schemaPath:"#/properties/selection/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err207];
}
else {
vErrors.push(err207);
}
errors++;
}
}
if(data.relaxations !== undefined){
let data86 = data.relaxations;
if(data86 && typeof data86 == "object" && !Array.isArray(data86)){
if(data86.allow === undefined){
const err208 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/required",keyword:"required",params:{missingProperty: "allow"}};
if(vErrors === null){
vErrors = [err208];
}
else {
vErrors.push(err208);
}
errors++;
}
if(data86.maxDeletes === undefined){
const err209 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/required",keyword:"required",params:{missingProperty: "maxDeletes"}};
if(vErrors === null){
vErrors = [err209];
}
else {
vErrors.push(err209);
}
errors++;
}
if(data86.allowEmpty === undefined){
const err210 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/required",keyword:"required",params:{missingProperty: "allowEmpty"}};
if(vErrors === null){
vErrors = [err210];
}
else {
vErrors.push(err210);
}
errors++;
}
if(data86.takeOver === undefined){
const err211 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/required",keyword:"required",params:{missingProperty: "takeOver"}};
if(vErrors === null){
vErrors = [err211];
}
else {
vErrors.push(err211);
}
errors++;
}
if(data86.destroy === undefined){
const err212 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/required",keyword:"required",params:{missingProperty: "destroy"}};
if(vErrors === null){
vErrors = [err212];
}
else {
vErrors.push(err212);
}
errors++;
}
for(const key18 in data86){
if(!(((((key18 === "allow") || (key18 === "maxDeletes")) || (key18 === "allowEmpty")) || (key18 === "takeOver")) || (key18 === "destroy"))){
const err213 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18}};
if(vErrors === null){
vErrors = [err213];
}
else {
vErrors.push(err213);
}
errors++;
}
}
if(data86.allow !== undefined){
let data87 = data86.allow;
if(Array.isArray(data87)){
const len15 = data87.length;
for(let i15=0; i15<len15; i15++){
let data88 = data87[i15];
if(typeof data88 === "string"){
if(!pattern5.test(data88)){
const err214 = {instancePath:instancePath+"/relaxations/allow/" + i15,schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err214];
}
else {
vErrors.push(err214);
}
errors++;
}
}
else {
const err215 = {instancePath:instancePath+"/relaxations/allow/" + i15,schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err215];
}
else {
vErrors.push(err215);
}
errors++;
}
}
}
else {
const err216 = {instancePath:instancePath+"/relaxations/allow",schemaPath:"#/properties/relaxations/properties/allow/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err216];
}
else {
vErrors.push(err216);
}
errors++;
}
}
if(data86.maxDeletes !== undefined){
let data89 = data86.maxDeletes;
if((typeof data89 !== "string") && (data89 !== null)){
const err217 = {instancePath:instancePath+"/relaxations/maxDeletes",schemaPath:"#/properties/relaxations/properties/maxDeletes/type",keyword:"type",params:{type: schema31.properties.relaxations.properties.maxDeletes.type}};
if(vErrors === null){
vErrors = [err217];
}
else {
vErrors.push(err217);
}
errors++;
}
if(typeof data89 === "string"){
if(!pattern25.test(data89)){
const err218 = {instancePath:instancePath+"/relaxations/maxDeletes",schemaPath:"#/properties/relaxations/properties/maxDeletes/pattern",keyword:"pattern",params:{pattern: "^[0-9]+%?$"}};
if(vErrors === null){
vErrors = [err218];
}
else {
vErrors.push(err218);
}
errors++;
}
}
}
if(data86.allowEmpty !== undefined){
if(typeof data86.allowEmpty !== "boolean"){
const err219 = {instancePath:instancePath+"/relaxations/allowEmpty",schemaPath:"#/properties/relaxations/properties/allowEmpty/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err219];
}
else {
vErrors.push(err219);
}
errors++;
}
}
if(data86.takeOver !== undefined){
if(typeof data86.takeOver !== "boolean"){
const err220 = {instancePath:instancePath+"/relaxations/takeOver",schemaPath:"#/properties/relaxations/properties/takeOver/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err220];
}
else {
vErrors.push(err220);
}
errors++;
}
}
if(data86.destroy !== undefined){
if(typeof data86.destroy !== "boolean"){
const err221 = {instancePath:instancePath+"/relaxations/destroy",schemaPath:"#/properties/relaxations/properties/destroy/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err221];
}
else {
vErrors.push(err221);
}
errors++;
}
}
}
else {
const err222 = {instancePath:instancePath+"/relaxations",schemaPath:"#/properties/relaxations/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err222];
}
else {
vErrors.push(err222);
}
errors++;
}
}
if(data.lifted !== undefined){
let data93 = data.lifted;
if(Array.isArray(data93)){
const len16 = data93.length;
for(let i16=0; i16<len16; i16++){
let data94 = data93[i16];
if(data94 && typeof data94 == "object" && !Array.isArray(data94)){
if(data94.code === undefined){
const err223 = {instancePath:instancePath+"/lifted/" + i16,schemaPath:"#/properties/lifted/items/required",keyword:"required",params:{missingProperty: "code"}};
if(vErrors === null){
vErrors = [err223];
}
else {
vErrors.push(err223);
}
errors++;
}
if(data94.address === undefined){
const err224 = {instancePath:instancePath+"/lifted/" + i16,schemaPath:"#/properties/lifted/items/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err224];
}
else {
vErrors.push(err224);
}
errors++;
}
for(const key19 in data94){
if(!((key19 === "code") || (key19 === "address"))){
const err225 = {instancePath:instancePath+"/lifted/" + i16,schemaPath:"#/properties/lifted/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19}};
if(vErrors === null){
vErrors = [err225];
}
else {
vErrors.push(err225);
}
errors++;
}
}
if(data94.code !== undefined){
let data95 = data94.code;
if(typeof data95 !== "string"){
const err226 = {instancePath:instancePath+"/lifted/" + i16+"/code",schemaPath:"#/properties/lifted/items/properties/code/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err226];
}
else {
vErrors.push(err226);
}
errors++;
}
if(!(((((((((((((((data95 === "deletion-protected") || (data95 === "irreversible")) || (data95 === "lockout")) || (data95 === "too-many-deletes")) || (data95 === "empty-desired")) || (data95 === "ownership-conflict")) || (data95 === "ownership-lost")) || (data95 === "id-not-live")) || (data95 === "adopt-needs-replace")) || (data95 === "duplicate-marker")) || (data95 === "address-in-use")) || (data95 === "still-referenced")) || (data95 === "ordering-cycle")) || (data95 === "does-not-converge")) || (data95 === "stale-plan"))){
const err227 = {instancePath:instancePath+"/lifted/" + i16+"/code",schemaPath:"#/properties/lifted/items/properties/code/enum",keyword:"enum",params:{allowedValues: schema31.properties.lifted.items.properties.code.enum}};
if(vErrors === null){
vErrors = [err227];
}
else {
vErrors.push(err227);
}
errors++;
}
}
if(data94.address !== undefined){
let data96 = data94.address;
if(typeof data96 === "string"){
if(!pattern5.test(data96)){
const err228 = {instancePath:instancePath+"/lifted/" + i16+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err228];
}
else {
vErrors.push(err228);
}
errors++;
}
}
else {
const err229 = {instancePath:instancePath+"/lifted/" + i16+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err229];
}
else {
vErrors.push(err229);
}
errors++;
}
}
}
else {
const err230 = {instancePath:instancePath+"/lifted/" + i16,schemaPath:"#/properties/lifted/items/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err230];
}
else {
vErrors.push(err230);
}
errors++;
}
}
}
else {
const err231 = {instancePath:instancePath+"/lifted",schemaPath:"#/properties/lifted/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err231];
}
else {
vErrors.push(err231);
}
errors++;
}
}
if(data.unavailableSecrets !== undefined){
let data97 = data.unavailableSecrets;
if(Array.isArray(data97)){
const len17 = data97.length;
for(let i17=0; i17<len17; i17++){
let data98 = data97[i17];
if(data98 && typeof data98 == "object" && !Array.isArray(data98)){
if(data98.address === undefined){
const err232 = {instancePath:instancePath+"/unavailableSecrets/" + i17,schemaPath:"#/properties/unavailableSecrets/items/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err232];
}
else {
vErrors.push(err232);
}
errors++;
}
if(data98.source === undefined){
const err233 = {instancePath:instancePath+"/unavailableSecrets/" + i17,schemaPath:"#/properties/unavailableSecrets/items/required",keyword:"required",params:{missingProperty: "source"}};
if(vErrors === null){
vErrors = [err233];
}
else {
vErrors.push(err233);
}
errors++;
}
for(const key20 in data98){
if(!((key20 === "address") || (key20 === "source"))){
const err234 = {instancePath:instancePath+"/unavailableSecrets/" + i17,schemaPath:"#/properties/unavailableSecrets/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20}};
if(vErrors === null){
vErrors = [err234];
}
else {
vErrors.push(err234);
}
errors++;
}
}
if(data98.address !== undefined){
let data99 = data98.address;
if(typeof data99 === "string"){
if(!pattern5.test(data99)){
const err235 = {instancePath:instancePath+"/unavailableSecrets/" + i17+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/"}};
if(vErrors === null){
vErrors = [err235];
}
else {
vErrors.push(err235);
}
errors++;
}
}
else {
const err236 = {instancePath:instancePath+"/unavailableSecrets/" + i17+"/address",schemaPath:"output-definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err236];
}
else {
vErrors.push(err236);
}
errors++;
}
}
if(data98.source !== undefined){
if(typeof data98.source !== "string"){
const err237 = {instancePath:instancePath+"/unavailableSecrets/" + i17+"/source",schemaPath:"#/properties/unavailableSecrets/items/properties/source/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err237];
}
else {
vErrors.push(err237);
}
errors++;
}
}
}
else {
const err238 = {instancePath:instancePath+"/unavailableSecrets/" + i17,schemaPath:"#/properties/unavailableSecrets/items/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err238];
}
else {
vErrors.push(err238);
}
errors++;
}
}
}
else {
const err239 = {instancePath:instancePath+"/unavailableSecrets",schemaPath:"#/properties/unavailableSecrets/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err239];
}
else {
vErrors.push(err239);
}
errors++;
}
}
if(data.base !== undefined){
if(typeof data.base !== "string"){
const err240 = {instancePath:instancePath+"/base",schemaPath:"#/properties/base/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err240];
}
else {
vErrors.push(err240);
}
errors++;
}
}
}
else {
const err241 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err241];
}
else {
vErrors.push(err241);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

