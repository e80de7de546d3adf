// Generated from schemas/ by `npm run generate`. Not to be edited.
// @ts-nocheck
import type { Validator } from "../schema/validator.js";
export const IPRestriction: Validator = validate20;
const schema31 = {"$id":"ip-restriction.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"IPRestriction"},"metadata":{"$ref":"definitions.schema.json#/$defs/metadata"},"lifecycle":{"type":["object","null"],"properties":{"deletion":{"$ref":"definitions.schema.json#/$defs/deletion"},"replaced":{"$ref":"definitions.schema.json#/$defs/replaced"},"ignore":{"$ref":"definitions.schema.json#/$defs/ignore"}},"additionalProperties":false},"spec":{"type":"object","properties":{"description":{"$ref":"definitions.schema.json#/$defs/description"},"metadata":{"$ref":"definitions.schema.json#/$defs/userMetadata"},"type":{"type":"string","enum":["dashboard","api","agent","endpoints"]},"enforced":{"type":"boolean"},"ip_policies":{"$ref":"definitions.schema.json#/$defs/ipPolicies"}},"required":["type","enforced","ip_policies"],"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};
const schema33 = {"type":"string","const":"edgewise/v1"};
const schema40 = {"type":["string","null"],"enum":["delete","protect","orphan",null]};
const schema41 = {"type":["string","null"],"enum":["delete","orphan",null]};
const schema42 = {"type":["array","null"],"items":{"type":"string","pattern":"^spec\\.[^.]+(\\.[^.]+)*$"}};
const schema43 = {"type":["string","null"],"maxBytes":255};
const schema44 = {"type":["object","string","null"],"properties":{"edgewise":false},"additionalProperties":true};
const schema34 = {"type":"object","properties":{"name":{"$ref":"#/$defs/name"},"labels":{"$ref":"#/$defs/labels"},"id":{"$ref":"#/$defs/adoptedId"},"previousNames":{"$ref":"#/$defs/previousNames"}},"required":["name"],"additionalProperties":false};
const schema35 = {"type":"string","pattern":"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$","maxLength":100};
const schema36 = {"type":["object","null"],"additionalProperties":{"type":"string"}};
const schema37 = {"type":["string","null"],"pattern":"^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$","maxLength":255};
const func1 = (text) => [...text].length;
const pattern4 = new RegExp("^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$", "u");
const pattern5 = new RegExp("^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$", "u");
const schema38 = {"type":["array","null"],"items":{"$ref":"#/$defs/name","type":"string"},"uniqueItems":true};

function validate23(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate23.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema38.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(Array.isArray(data)){
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
let data0 = data[i0];
if(typeof data0 !== "string"){
const err1 = {instancePath:instancePath+"/" + i0,schemaPath:"#/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
let i1 = data.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
const err5 = {instancePath,schemaPath:"#/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
break;
}
indices0[item0] = i1;
}
}
}
validate23.errors = vErrors;
return errors === 0;
}
validate23.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};


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
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "name") || (key0 === "labels")) || (key0 === "id")) || (key0 === "previousNames"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
if(data.previousNames !== undefined){
if(!(validate23(data.previousNames, {instancePath:instancePath+"/previousNames",parentData:data,parentDataProperty:"previousNames",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
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
validate22.errors = vErrors;
return errors === 0;
}
validate22.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema45 = {"type":"array","items":{"$ref":"#/$defs/refById"}};
const schema46 = {"type":"object","properties":{"id":{"$ref":"#/$defs/id"}},"required":["id"],"additionalProperties":false};
const schema47 = {"type":"string","pattern":"^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$","maxLength":255};

function validate27(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate27.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(key0 === "id")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(func1(data0) > 255){
const err2 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern5.test(data0)){
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
else {
const err5 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
validate27.errors = vErrors;
return errors === 0;
}
validate27.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate26(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate26.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(Array.isArray(data)){
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
if(!(validate27(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate27.errors : vErrors.concat(validate27.errors);
errors = vErrors.length;
}
}
}
else {
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
validate26.errors = vErrors;
return errors === 0;
}
validate26.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};

const pattern7 = new RegExp("^spec\\.[^.]+(\\.[^.]+)*$", "u");

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="ip-restriction.schema.json" */;
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
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("IPRestriction" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "IPRestriction"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate22(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
let data3 = data.lifecycle;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err9 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/type",keyword:"type",params:{type: schema31.properties.lifecycle.type}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((key1 === "deletion") || (key1 === "replaced")) || (key1 === "ignore"))){
const err10 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.deletion !== undefined){
let data4 = data3.deletion;
if((typeof data4 !== "string") && (data4 !== null)){
const err11 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/type",keyword:"type",params:{type: schema40.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!((((data4 === "delete") || (data4 === "protect")) || (data4 === "orphan")) || (data4 === null))){
const err12 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data3.replaced !== undefined){
let data5 = data3.replaced;
if((typeof data5 !== "string") && (data5 !== null)){
const err13 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/type",keyword:"type",params:{type: schema41.type}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!(((data5 === "delete") || (data5 === "orphan")) || (data5 === null))){
const err14 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/enum",keyword:"enum",params:{allowedValues: schema41.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data3.ignore !== undefined){
let data6 = data3.ignore;
if((!(Array.isArray(data6))) && (data6 !== null)){
const err15 = {instancePath:instancePath+"/lifecycle/ignore",schemaPath:"definitions.schema.json#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(Array.isArray(data6)){
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
let data7 = data6[i0];
if(typeof data7 === "string"){
if(!pattern7.test(data7)){
const err16 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
else {
const err17 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
}
}
}
if(data.spec !== undefined){
let data8 = data.spec;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(data8.type === undefined){
const err18 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "type"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data8.enforced === undefined){
const err19 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "enforced"}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data8.ip_policies === undefined){
const err20 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "ip_policies"}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
for(const key2 in data8){
if(!(((((key2 === "description") || (key2 === "metadata")) || (key2 === "type")) || (key2 === "enforced")) || (key2 === "ip_policies"))){
const err21 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data8.description !== undefined){
let data9 = data8.description;
if((typeof data9 !== "string") && (data9 !== null)){
const err22 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/description/type",keyword:"type",params:{type: schema43.type}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(typeof data9 === "string"){
if(data9.length * 3 > 255 && Buffer.byteLength(data9, "utf8") > 255){
const err23 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/description/maxBytes",keyword:"maxBytes",params:{limit: 255}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
if(data8.metadata !== undefined){
let data10 = data8.metadata;
if(((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (typeof data10 !== "string")) && (data10 !== null)){
const err24 = {instancePath:instancePath+"/spec/metadata",schemaPath:"definitions.schema.json#/$defs/userMetadata/type",keyword:"type",params:{type: schema44.type}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.edgewise !== undefined){
const err25 = {instancePath:instancePath+"/spec/metadata/edgewise",schemaPath:"definitions.schema.json#/$defs/userMetadata/properties/edgewise/false schema",keyword:"false schema",params:{}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
if(data8.type !== undefined){
let data12 = data8.type;
if(typeof data12 !== "string"){
const err26 = {instancePath:instancePath+"/spec/type",schemaPath:"#/properties/spec/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(!((((data12 === "dashboard") || (data12 === "api")) || (data12 === "agent")) || (data12 === "endpoints"))){
const err27 = {instancePath:instancePath+"/spec/type",schemaPath:"#/properties/spec/properties/type/enum",keyword:"enum",params:{allowedValues: schema31.properties.spec.properties.type.enum}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data8.enforced !== undefined){
if(typeof data8.enforced !== "boolean"){
const err28 = {instancePath:instancePath+"/spec/enforced",schemaPath:"#/properties/spec/properties/enforced/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data8.ip_policies !== undefined){
if(!(validate26(data8.ip_policies, {instancePath:instancePath+"/spec/ip_policies",parentData:data8,parentDataProperty:"ip_policies",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
errors = vErrors.length;
}
}
}
else {
const err29 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TLSEdge: Validator = validate30;
const schema48 = {"$id":"tls-edge.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"TLSEdge"},"metadata":{"$ref":"definitions.schema.json#/$defs/metadata"},"lifecycle":{"type":["object","null"],"properties":{"deletion":{"$ref":"definitions.schema.json#/$defs/deletion"},"replaced":{"$ref":"definitions.schema.json#/$defs/replaced"},"ignore":{"$ref":"definitions.schema.json#/$defs/ignore"}},"additionalProperties":false},"spec":{"type":"object","properties":{"description":{"$ref":"definitions.schema.json#/$defs/description"},"metadata":{"$ref":"definitions.schema.json#/$defs/userMetadata"},"hostports":{"type":"array","items":{"type":["string","object"],"minLength":1,"properties":{"address":{"$ref":"definitions.schema.json#/$defs/name"}},"required":["address"],"additionalProperties":false}},"backend":{"type":["object","null"],"properties":{"enabled":{"$ref":"definitions.schema.json#/$defs/enabled"},"backend":{"$ref":"definitions.schema.json#/$defs/backendRef"}},"required":["backend"],"additionalProperties":false},"ip_restriction":{"type":["object","null"],"properties":{"enabled":{"$ref":"definitions.schema.json#/$defs/enabled"},"ip_policies":{"$ref":"definitions.schema.json#/$defs/ipPolicies"}},"required":["ip_policies"],"additionalProperties":false},"mutual_tls":{"type":["object","null"],"properties":{"enabled":{"$ref":"definitions.schema.json#/$defs/enabled"},"certificate_authorities":{"type":"array","items":{"$ref":"definitions.schema.json#/$defs/refById"}}},"required":["certificate_authorities"],"additionalProperties":false},"tls_termination":{"type":["object","null"],"properties":{"enabled":{"$ref":"definitions.schema.json#/$defs/enabled"},"terminate_at":{"type":["string","null"],"enum":["edge","upstream","agent",null]},"min_version":{"$ref":"definitions.schema.json#/$defs/minVersion"}},"additionalProperties":false},"traffic_policy":{"$ref":"definitions.schema.json#/$defs/trafficPolicy"}},"required":["hostports"],"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};
const schema60 = {"type":["boolean","null"]};
const schema70 = {"type":["string","null"],"pattern":"^[0-9]+\\.[0-9]+$"};

function validate31(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate31.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "name") || (key0 === "labels")) || (key0 === "id")) || (key0 === "previousNames"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
if(data.previousNames !== undefined){
if(!(validate23(data.previousNames, {instancePath:instancePath+"/previousNames",parentData:data,parentDataProperty:"previousNames",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
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
validate31.errors = vErrors;
return errors === 0;
}
validate31.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema61 = {"type":"object","properties":{"name":{"$ref":"#/$defs/name"},"id":{"$ref":"#/$defs/id"}},"additionalProperties":false,"minProperties":1,"maxProperties":1};

function validate34(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate34.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err0 = {instancePath,schemaPath:"#/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(Object.keys(data).length < 1){
const err1 = {instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!((key0 === "name") || (key0 === "id"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(!pattern4.test(data0)){
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
else {
const err5 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.id !== undefined){
let data1 = data.id;
if(typeof data1 === "string"){
if(func1(data1) > 255){
const err6 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(!pattern5.test(data1)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
}
else {
const err9 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
validate34.errors = vErrors;
return errors === 0;
}
validate34.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate36(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate36.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(Array.isArray(data)){
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
if(!(validate27(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate27.errors : vErrors.concat(validate27.errors);
errors = vErrors.length;
}
}
}
else {
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
validate36.errors = vErrors;
return errors === 0;
}
validate36.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};


function validate39(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate39.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(key0 === "id")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(func1(data0) > 255){
const err2 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern5.test(data0)){
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
else {
const err5 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
validate39.errors = vErrors;
return errors === 0;
}
validate39.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema71 = {"type":["object","null"],"properties":{"enabled":{"$ref":"#/$defs/enabled"},"value":{"type":["object","string"],"if":{"type":"object","required":["file"]},"then":{"properties":{"file":{"$ref":"#/$defs/path"}},"additionalProperties":false}}},"required":["value"],"additionalProperties":false};
const schema73 = {"type":"string","minLength":1};

function validate41(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate41.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema71.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.value === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "value"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!((key0 === "enabled") || (key0 === "value"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.enabled !== undefined){
let data0 = data.enabled;
if((typeof data0 !== "boolean") && (data0 !== null)){
const err3 = {instancePath:instancePath+"/enabled",schemaPath:"#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.value !== undefined){
let data1 = data.value;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (typeof data1 !== "string")){
const err4 = {instancePath:instancePath+"/value",schemaPath:"#/properties/value/type",keyword:"type",params:{type: schema71.properties.value.type}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
const _errs7 = errors;
let valid2 = true;
const _errs8 = errors;
if(errors === _errs8){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing0;
if((data1.file === undefined) && (missing0 = "file")){
const err5 = {};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
var _valid0 = _errs8 === errors;
errors = _errs7;
if(vErrors !== null){
if(_errs7){
vErrors.length = _errs7;
}
else {
vErrors = null;
}
}
if(_valid0){
const _errs10 = errors;
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(!(key1 === "file")){
const err7 = {instancePath:instancePath+"/value",schemaPath:"#/properties/value/then/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data1.file !== undefined){
let data2 = data1.file;
if(typeof data2 === "string"){
if(func1(data2) < 1){
const err8 = {instancePath:instancePath+"/value/file",schemaPath:"#/$defs/path/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
else {
const err9 = {instancePath:instancePath+"/value/file",schemaPath:"#/$defs/path/type",keyword:"type",params:{type: "string"}};
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
var _valid0 = _errs10 === errors;
valid2 = _valid0;
}
if(!valid2){
const err10 = {instancePath:instancePath+"/value",schemaPath:"#/properties/value/if",keyword:"if",params:{failingKeyword: "then"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
}
validate41.errors = vErrors;
return errors === 0;
}
validate41.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const pattern16 = new RegExp("^[0-9]+\\.[0-9]+$", "u");

function validate30(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="tls-edge.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate30.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("TLSEdge" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "TLSEdge"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate31(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate31.errors : vErrors.concat(validate31.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
let data3 = data.lifecycle;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err9 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/type",keyword:"type",params:{type: schema48.properties.lifecycle.type}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((key1 === "deletion") || (key1 === "replaced")) || (key1 === "ignore"))){
const err10 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.deletion !== undefined){
let data4 = data3.deletion;
if((typeof data4 !== "string") && (data4 !== null)){
const err11 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/type",keyword:"type",params:{type: schema40.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!((((data4 === "delete") || (data4 === "protect")) || (data4 === "orphan")) || (data4 === null))){
const err12 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data3.replaced !== undefined){
let data5 = data3.replaced;
if((typeof data5 !== "string") && (data5 !== null)){
const err13 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/type",keyword:"type",params:{type: schema41.type}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!(((data5 === "delete") || (data5 === "orphan")) || (data5 === null))){
const err14 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/enum",keyword:"enum",params:{allowedValues: schema41.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data3.ignore !== undefined){
let data6 = data3.ignore;
if((!(Array.isArray(data6))) && (data6 !== null)){
const err15 = {instancePath:instancePath+"/lifecycle/ignore",schemaPath:"definitions.schema.json#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(Array.isArray(data6)){
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
let data7 = data6[i0];
if(typeof data7 === "string"){
if(!pattern7.test(data7)){
const err16 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
else {
const err17 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
}
}
}
if(data.spec !== undefined){
let data8 = data.spec;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(data8.hostports === undefined){
const err18 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "hostports"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
for(const key2 in data8){
if(!((((((((key2 === "description") || (key2 === "metadata")) || (key2 === "hostports")) || (key2 === "backend")) || (key2 === "ip_restriction")) || (key2 === "mutual_tls")) || (key2 === "tls_termination")) || (key2 === "traffic_policy"))){
const err19 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data8.description !== undefined){
let data9 = data8.description;
if((typeof data9 !== "string") && (data9 !== null)){
const err20 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/description/type",keyword:"type",params:{type: schema43.type}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(typeof data9 === "string"){
if(data9.length * 3 > 255 && Buffer.byteLength(data9, "utf8") > 255){
const err21 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/description/maxBytes",keyword:"maxBytes",params:{limit: 255}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
if(data8.metadata !== undefined){
let data10 = data8.metadata;
if(((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (typeof data10 !== "string")) && (data10 !== null)){
const err22 = {instancePath:instancePath+"/spec/metadata",schemaPath:"definitions.schema.json#/$defs/userMetadata/type",keyword:"type",params:{type: schema44.type}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.edgewise !== undefined){
const err23 = {instancePath:instancePath+"/spec/metadata/edgewise",schemaPath:"definitions.schema.json#/$defs/userMetadata/properties/edgewise/false schema",keyword:"false schema",params:{}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
if(data8.hostports !== undefined){
let data12 = data8.hostports;
if(Array.isArray(data12)){
const len1 = data12.length;
for(let i1=0; i1<len1; i1++){
let data13 = data12[i1];
if((typeof data13 !== "string") && (!(data13 && typeof data13 == "object" && !Array.isArray(data13)))){
const err24 = {instancePath:instancePath+"/spec/hostports/" + i1,schemaPath:"#/properties/spec/properties/hostports/items/type",keyword:"type",params:{type: schema48.properties.spec.properties.hostports.items.type}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(typeof data13 === "string"){
if(func1(data13) < 1){
const err25 = {instancePath:instancePath+"/spec/hostports/" + i1,schemaPath:"#/properties/spec/properties/hostports/items/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
if(data13.address === undefined){
const err26 = {instancePath:instancePath+"/spec/hostports/" + i1,schemaPath:"#/properties/spec/properties/hostports/items/required",keyword:"required",params:{missingProperty: "address"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
for(const key3 in data13){
if(!(key3 === "address")){
const err27 = {instancePath:instancePath+"/spec/hostports/" + i1,schemaPath:"#/properties/spec/properties/hostports/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data13.address !== undefined){
let data14 = data13.address;
if(typeof data14 === "string"){
if(func1(data14) > 100){
const err28 = {instancePath:instancePath+"/spec/hostports/" + i1+"/address",schemaPath:"definitions.schema.json#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(!pattern4.test(data14)){
const err29 = {instancePath:instancePath+"/spec/hostports/" + i1+"/address",schemaPath:"definitions.schema.json#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
else {
const err30 = {instancePath:instancePath+"/spec/hostports/" + i1+"/address",schemaPath:"definitions.schema.json#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
}
}
else {
const err31 = {instancePath:instancePath+"/spec/hostports",schemaPath:"#/properties/spec/properties/hostports/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data8.backend !== undefined){
let data15 = data8.backend;
if((!(data15 && typeof data15 == "object" && !Array.isArray(data15))) && (data15 !== null)){
const err32 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/type",keyword:"type",params:{type: schema48.properties.spec.properties.backend.type}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.backend === undefined){
const err33 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/required",keyword:"required",params:{missingProperty: "backend"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
for(const key4 in data15){
if(!((key4 === "enabled") || (key4 === "backend"))){
const err34 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data15.enabled !== undefined){
let data16 = data15.enabled;
if((typeof data16 !== "boolean") && (data16 !== null)){
const err35 = {instancePath:instancePath+"/spec/backend/enabled",schemaPath:"definitions.schema.json#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
if(data15.backend !== undefined){
if(!(validate34(data15.backend, {instancePath:instancePath+"/spec/backend/backend",parentData:data15,parentDataProperty:"backend",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate34.errors : vErrors.concat(validate34.errors);
errors = vErrors.length;
}
}
}
}
if(data8.ip_restriction !== undefined){
let data18 = data8.ip_restriction;
if((!(data18 && typeof data18 == "object" && !Array.isArray(data18))) && (data18 !== null)){
const err36 = {instancePath:instancePath+"/spec/ip_restriction",schemaPath:"#/properties/spec/properties/ip_restriction/type",keyword:"type",params:{type: schema48.properties.spec.properties.ip_restriction.type}};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
if(data18.ip_policies === undefined){
const err37 = {instancePath:instancePath+"/spec/ip_restriction",schemaPath:"#/properties/spec/properties/ip_restriction/required",keyword:"required",params:{missingProperty: "ip_policies"}};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
for(const key5 in data18){
if(!((key5 === "enabled") || (key5 === "ip_policies"))){
const err38 = {instancePath:instancePath+"/spec/ip_restriction",schemaPath:"#/properties/spec/properties/ip_restriction/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5}};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
if(data18.enabled !== undefined){
let data19 = data18.enabled;
if((typeof data19 !== "boolean") && (data19 !== null)){
const err39 = {instancePath:instancePath+"/spec/ip_restriction/enabled",schemaPath:"definitions.schema.json#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data18.ip_policies !== undefined){
if(!(validate36(data18.ip_policies, {instancePath:instancePath+"/spec/ip_restriction/ip_policies",parentData:data18,parentDataProperty:"ip_policies",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate36.errors : vErrors.concat(validate36.errors);
errors = vErrors.length;
}
}
}
}
if(data8.mutual_tls !== undefined){
let data21 = data8.mutual_tls;
if((!(data21 && typeof data21 == "object" && !Array.isArray(data21))) && (data21 !== null)){
const err40 = {instancePath:instancePath+"/spec/mutual_tls",schemaPath:"#/properties/spec/properties/mutual_tls/type",keyword:"type",params:{type: schema48.properties.spec.properties.mutual_tls.type}};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if(data21 && typeof data21 == "object" && !Array.isArray(data21)){
if(data21.certificate_authorities === undefined){
const err41 = {instancePath:instancePath+"/spec/mutual_tls",schemaPath:"#/properties/spec/properties/mutual_tls/required",keyword:"required",params:{missingProperty: "certificate_authorities"}};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
for(const key6 in data21){
if(!((key6 === "enabled") || (key6 === "certificate_authorities"))){
const err42 = {instancePath:instancePath+"/spec/mutual_tls",schemaPath:"#/properties/spec/properties/mutual_tls/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6}};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data21.enabled !== undefined){
let data22 = data21.enabled;
if((typeof data22 !== "boolean") && (data22 !== null)){
const err43 = {instancePath:instancePath+"/spec/mutual_tls/enabled",schemaPath:"definitions.schema.json#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
if(data21.certificate_authorities !== undefined){
let data23 = data21.certificate_authorities;
if(Array.isArray(data23)){
const len2 = data23.length;
for(let i2=0; i2<len2; i2++){
if(!(validate39(data23[i2], {instancePath:instancePath+"/spec/mutual_tls/certificate_authorities/" + i2,parentData:data23,parentDataProperty:i2,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate39.errors : vErrors.concat(validate39.errors);
errors = vErrors.length;
}
}
}
else {
const err44 = {instancePath:instancePath+"/spec/mutual_tls/certificate_authorities",schemaPath:"#/properties/spec/properties/mutual_tls/properties/certificate_authorities/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
}
}
if(data8.tls_termination !== undefined){
let data25 = data8.tls_termination;
if((!(data25 && typeof data25 == "object" && !Array.isArray(data25))) && (data25 !== null)){
const err45 = {instancePath:instancePath+"/spec/tls_termination",schemaPath:"#/properties/spec/properties/tls_termination/type",keyword:"type",params:{type: schema48.properties.spec.properties.tls_termination.type}};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
if(data25 && typeof data25 == "object" && !Array.isArray(data25)){
for(const key7 in data25){
if(!(((key7 === "enabled") || (key7 === "terminate_at")) || (key7 === "min_version"))){
const err46 = {instancePath:instancePath+"/spec/tls_termination",schemaPath:"#/properties/spec/properties/tls_termination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7}};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data25.enabled !== undefined){
let data26 = data25.enabled;
if((typeof data26 !== "boolean") && (data26 !== null)){
const err47 = {instancePath:instancePath+"/spec/tls_termination/enabled",schemaPath:"definitions.schema.json#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
if(data25.terminate_at !== undefined){
let data27 = data25.terminate_at;
if((typeof data27 !== "string") && (data27 !== null)){
const err48 = {instancePath:instancePath+"/spec/tls_termination/terminate_at",schemaPath:"#/properties/spec/properties/tls_termination/properties/terminate_at/type",keyword:"type",params:{type: schema48.properties.spec.properties.tls_termination.properties.terminate_at.type}};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
if(!((((data27 === "edge") || (data27 === "upstream")) || (data27 === "agent")) || (data27 === null))){
const err49 = {instancePath:instancePath+"/spec/tls_termination/terminate_at",schemaPath:"#/properties/spec/properties/tls_termination/properties/terminate_at/enum",keyword:"enum",params:{allowedValues: schema48.properties.spec.properties.tls_termination.properties.terminate_at.enum}};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data25.min_version !== undefined){
let data28 = data25.min_version;
if((typeof data28 !== "string") && (data28 !== null)){
const err50 = {instancePath:instancePath+"/spec/tls_termination/min_version",schemaPath:"definitions.schema.json#/$defs/minVersion/type",keyword:"type",params:{type: schema70.type}};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
if(typeof data28 === "string"){
if(!pattern16.test(data28)){
const err51 = {instancePath:instancePath+"/spec/tls_termination/min_version",schemaPath:"definitions.schema.json#/$defs/minVersion/pattern",keyword:"pattern",params:{pattern: "^[0-9]+\\.[0-9]+$"}};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
}
}
}
if(data8.traffic_policy !== undefined){
if(!(validate41(data8.traffic_policy, {instancePath:instancePath+"/spec/traffic_policy",parentData:data8,parentDataProperty:"traffic_policy",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate41.errors : vErrors.concat(validate41.errors);
errors = vErrors.length;
}
}
}
else {
const err52 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
}
else {
const err53 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
validate30.errors = vErrors;
return errors === 0;
}
validate30.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const ReservedAddress: Validator = validate43;
const schema74 = {"$id":"reserved-address.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"ReservedAddress"},"metadata":{"$ref":"definitions.schema.json#/$defs/metadata"},"lifecycle":{"type":["object","null"],"properties":{"deletion":{"$ref":"definitions.schema.json#/$defs/deletion"},"replaced":{"$ref":"definitions.schema.json#/$defs/replaced"},"ignore":{"$ref":"definitions.schema.json#/$defs/ignore"}},"additionalProperties":false},"spec":{"type":"object","properties":{"description":{"$ref":"definitions.schema.json#/$defs/longDescription"},"metadata":{"$ref":"definitions.schema.json#/$defs/userMetadata"},"region":{"type":["string","null"],"enum":["au","eu","ap","us","jp","in","sa",null]},"endpoint_configuration":{"$ref":"definitions.schema.json#/$defs/refById"}},"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};
const schema83 = {"type":["string","null"]};

function validate44(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate44.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "name") || (key0 === "labels")) || (key0 === "id")) || (key0 === "previousNames"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
if(data.previousNames !== undefined){
if(!(validate23(data.previousNames, {instancePath:instancePath+"/previousNames",parentData:data,parentDataProperty:"previousNames",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
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
validate44.errors = vErrors;
return errors === 0;
}
validate44.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate47(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate47.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(key0 === "id")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(func1(data0) > 255){
const err2 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern5.test(data0)){
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
else {
const err5 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
validate47.errors = vErrors;
return errors === 0;
}
validate47.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate43(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="reserved-address.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate43.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("ReservedAddress" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "ReservedAddress"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate44(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate44.errors : vErrors.concat(validate44.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
let data3 = data.lifecycle;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err9 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/type",keyword:"type",params:{type: schema74.properties.lifecycle.type}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((key1 === "deletion") || (key1 === "replaced")) || (key1 === "ignore"))){
const err10 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.deletion !== undefined){
let data4 = data3.deletion;
if((typeof data4 !== "string") && (data4 !== null)){
const err11 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/type",keyword:"type",params:{type: schema40.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!((((data4 === "delete") || (data4 === "protect")) || (data4 === "orphan")) || (data4 === null))){
const err12 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data3.replaced !== undefined){
let data5 = data3.replaced;
if((typeof data5 !== "string") && (data5 !== null)){
const err13 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/type",keyword:"type",params:{type: schema41.type}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!(((data5 === "delete") || (data5 === "orphan")) || (data5 === null))){
const err14 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/enum",keyword:"enum",params:{allowedValues: schema41.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data3.ignore !== undefined){
let data6 = data3.ignore;
if((!(Array.isArray(data6))) && (data6 !== null)){
const err15 = {instancePath:instancePath+"/lifecycle/ignore",schemaPath:"definitions.schema.json#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(Array.isArray(data6)){
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
let data7 = data6[i0];
if(typeof data7 === "string"){
if(!pattern7.test(data7)){
const err16 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
else {
const err17 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
}
}
}
if(data.spec !== undefined){
let data8 = data.spec;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
for(const key2 in data8){
if(!((((key2 === "description") || (key2 === "metadata")) || (key2 === "region")) || (key2 === "endpoint_configuration"))){
const err18 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data8.description !== undefined){
let data9 = data8.description;
if((typeof data9 !== "string") && (data9 !== null)){
const err19 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/longDescription/type",keyword:"type",params:{type: schema83.type}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data8.metadata !== undefined){
let data10 = data8.metadata;
if(((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (typeof data10 !== "string")) && (data10 !== null)){
const err20 = {instancePath:instancePath+"/spec/metadata",schemaPath:"definitions.schema.json#/$defs/userMetadata/type",keyword:"type",params:{type: schema44.type}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.edgewise !== undefined){
const err21 = {instancePath:instancePath+"/spec/metadata/edgewise",schemaPath:"definitions.schema.json#/$defs/userMetadata/properties/edgewise/false schema",keyword:"false schema",params:{}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
if(data8.region !== undefined){
let data12 = data8.region;
if((typeof data12 !== "string") && (data12 !== null)){
const err22 = {instancePath:instancePath+"/spec/region",schemaPath:"#/properties/spec/properties/region/type",keyword:"type",params:{type: schema74.properties.spec.properties.region.type}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(!((((((((data12 === "au") || (data12 === "eu")) || (data12 === "ap")) || (data12 === "us")) || (data12 === "jp")) || (data12 === "in")) || (data12 === "sa")) || (data12 === null))){
const err23 = {instancePath:instancePath+"/spec/region",schemaPath:"#/properties/spec/properties/region/enum",keyword:"enum",params:{allowedValues: schema74.properties.spec.properties.region.enum}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data8.endpoint_configuration !== undefined){
if(!(validate47(data8.endpoint_configuration, {instancePath:instancePath+"/spec/endpoint_configuration",parentData:data8,parentDataProperty:"endpoint_configuration",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate47.errors : vErrors.concat(validate47.errors);
errors = vErrors.length;
}
}
}
else {
const err24 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
else {
const err25 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
validate43.errors = vErrors;
return errors === 0;
}
validate43.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const HTTPResponseBackend: Validator = validate49;
const schema87 = {"$id":"http-response-backend.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"HTTPResponseBackend"},"metadata":{"$ref":"definitions.schema.json#/$defs/metadata"},"lifecycle":{"type":["object","null"],"properties":{"deletion":{"$ref":"definitions.schema.json#/$defs/deletion"},"replaced":{"$ref":"definitions.schema.json#/$defs/replaced"},"ignore":{"$ref":"definitions.schema.json#/$defs/ignore"}},"additionalProperties":false},"spec":{"type":"object","properties":{"description":{"$ref":"definitions.schema.json#/$defs/longDescription"},"metadata":{"$ref":"definitions.schema.json#/$defs/longUserMetadata"},"status_code":{"type":"integer","minimum":100,"maximum":599},"headers":{"type":["object","null"],"additionalProperties":{"type":"string"}},"body":{"type":["string","object","null"],"properties":{"file":{"$ref":"definitions.schema.json#/$defs/path"}},"required":["file"],"additionalProperties":false}},"required":["status_code"],"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};
const schema97 = {"type":["object","string","null"],"properties":{"edgewise":false},"additionalProperties":true};

function validate50(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate50.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "name") || (key0 === "labels")) || (key0 === "id")) || (key0 === "previousNames"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
if(data.previousNames !== undefined){
if(!(validate23(data.previousNames, {instancePath:instancePath+"/previousNames",parentData:data,parentDataProperty:"previousNames",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
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
validate50.errors = vErrors;
return errors === 0;
}
validate50.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate49(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="http-response-backend.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate49.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("HTTPResponseBackend" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "HTTPResponseBackend"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate50(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate50.errors : vErrors.concat(validate50.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
let data3 = data.lifecycle;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err9 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/type",keyword:"type",params:{type: schema87.properties.lifecycle.type}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((key1 === "deletion") || (key1 === "replaced")) || (key1 === "ignore"))){
const err10 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.deletion !== undefined){
let data4 = data3.deletion;
if((typeof data4 !== "string") && (data4 !== null)){
const err11 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/type",keyword:"type",params:{type: schema40.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!((((data4 === "delete") || (data4 === "protect")) || (data4 === "orphan")) || (data4 === null))){
const err12 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data3.replaced !== undefined){
let data5 = data3.replaced;
if((typeof data5 !== "string") && (data5 !== null)){
const err13 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/type",keyword:"type",params:{type: schema41.type}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!(((data5 === "delete") || (data5 === "orphan")) || (data5 === null))){
const err14 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/enum",keyword:"enum",params:{allowedValues: schema41.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data3.ignore !== undefined){
let data6 = data3.ignore;
if((!(Array.isArray(data6))) && (data6 !== null)){
const err15 = {instancePath:instancePath+"/lifecycle/ignore",schemaPath:"definitions.schema.json#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(Array.isArray(data6)){
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
let data7 = data6[i0];
if(typeof data7 === "string"){
if(!pattern7.test(data7)){
const err16 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
else {
const err17 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
}
}
}
if(data.spec !== undefined){
let data8 = data.spec;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(data8.status_code === undefined){
const err18 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "status_code"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
for(const key2 in data8){
if(!(((((key2 === "description") || (key2 === "metadata")) || (key2 === "status_code")) || (key2 === "headers")) || (key2 === "body"))){
const err19 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data8.description !== undefined){
let data9 = data8.description;
if((typeof data9 !== "string") && (data9 !== null)){
const err20 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/longDescription/type",keyword:"type",params:{type: schema83.type}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data8.metadata !== undefined){
let data10 = data8.metadata;
if(((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (typeof data10 !== "string")) && (data10 !== null)){
const err21 = {instancePath:instancePath+"/spec/metadata",schemaPath:"definitions.schema.json#/$defs/longUserMetadata/type",keyword:"type",params:{type: schema97.type}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.edgewise !== undefined){
const err22 = {instancePath:instancePath+"/spec/metadata/edgewise",schemaPath:"definitions.schema.json#/$defs/longUserMetadata/properties/edgewise/false schema",keyword:"false schema",params:{}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
}
if(data8.status_code !== undefined){
let data12 = data8.status_code;
if(!(((typeof data12 == "number") && (!(data12 % 1) && !isNaN(data12))) && (isFinite(data12)))){
const err23 = {instancePath:instancePath+"/spec/status_code",schemaPath:"#/properties/spec/properties/status_code/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if((typeof data12 == "number") && (isFinite(data12))){
if(data12 > 599 || isNaN(data12)){
const err24 = {instancePath:instancePath+"/spec/status_code",schemaPath:"#/properties/spec/properties/status_code/maximum",keyword:"maximum",params:{comparison: "<=", limit: 599}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(data12 < 100 || isNaN(data12)){
const err25 = {instancePath:instancePath+"/spec/status_code",schemaPath:"#/properties/spec/properties/status_code/minimum",keyword:"minimum",params:{comparison: ">=", limit: 100}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
if(data8.headers !== undefined){
let data13 = data8.headers;
if((!(data13 && typeof data13 == "object" && !Array.isArray(data13))) && (data13 !== null)){
const err26 = {instancePath:instancePath+"/spec/headers",schemaPath:"#/properties/spec/properties/headers/type",keyword:"type",params:{type: schema87.properties.spec.properties.headers.type}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
for(const key3 in data13){
if(typeof data13[key3] !== "string"){
const err27 = {instancePath:instancePath+"/spec/headers/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/headers/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
}
}
if(data8.body !== undefined){
let data15 = data8.body;
if(((typeof data15 !== "string") && (!(data15 && typeof data15 == "object" && !Array.isArray(data15)))) && (data15 !== null)){
const err28 = {instancePath:instancePath+"/spec/body",schemaPath:"#/properties/spec/properties/body/type",keyword:"type",params:{type: schema87.properties.spec.properties.body.type}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.file === undefined){
const err29 = {instancePath:instancePath+"/spec/body",schemaPath:"#/properties/spec/properties/body/required",keyword:"required",params:{missingProperty: "file"}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
for(const key4 in data15){
if(!(key4 === "file")){
const err30 = {instancePath:instancePath+"/spec/body",schemaPath:"#/properties/spec/properties/body/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
if(data15.file !== undefined){
let data16 = data15.file;
if(typeof data16 === "string"){
if(func1(data16) < 1){
const err31 = {instancePath:instancePath+"/spec/body/file",schemaPath:"definitions.schema.json#/$defs/path/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
else {
const err32 = {instancePath:instancePath+"/spec/body/file",schemaPath:"definitions.schema.json#/$defs/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
}
}
}
else {
const err33 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
}
else {
const err34 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
validate49.errors = vErrors;
return errors === 0;
}
validate49.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const TLSCertificate: Validator = validate53;
const schema99 = {"$id":"tls-certificate.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"TLSCertificate"},"metadata":{"$ref":"definitions.schema.json#/$defs/metadata"},"lifecycle":{"type":["object","null"],"properties":{"deletion":{"$ref":"definitions.schema.json#/$defs/deletion"},"replaced":{"$ref":"definitions.schema.json#/$defs/replaced"},"ignore":{"$ref":"definitions.schema.json#/$defs/ignore"}},"additionalProperties":false},"spec":{"type":"object","properties":{"description":{"$ref":"definitions.schema.json#/$defs/description"},"metadata":{"$ref":"definitions.schema.json#/$defs/userMetadata"},"certificate_pem":{"$ref":"definitions.schema.json#/$defs/content"},"private_key_pem":{"$ref":"definitions.schema.json#/$defs/secret"}},"required":["certificate_pem","private_key_pem"],"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};

function validate54(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate54.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "name") || (key0 === "labels")) || (key0 === "id")) || (key0 === "previousNames"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
if(data.previousNames !== undefined){
if(!(validate23(data.previousNames, {instancePath:instancePath+"/previousNames",parentData:data,parentDataProperty:"previousNames",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
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
validate54.errors = vErrors;
return errors === 0;
}
validate54.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema110 = {"type":["string","object"],"properties":{"file":{"$ref":"#/$defs/path"}},"required":["file"],"additionalProperties":false};

function validate57(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate57.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((typeof data !== "string") && (!(data && typeof data == "object" && !Array.isArray(data)))){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema110.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.file === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "file"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!(key0 === "file")){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.file !== undefined){
let data0 = data.file;
if(typeof data0 === "string"){
if(func1(data0) < 1){
const err3 = {instancePath:instancePath+"/file",schemaPath:"#/$defs/path/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/file",schemaPath:"#/$defs/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
validate57.errors = vErrors;
return errors === 0;
}
validate57.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema112 = {"type":["object","string"],"properties":{"env":{"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"},"file":{"$ref":"#/$defs/path"}},"additionalProperties":false,"minProperties":1,"maxProperties":1};
const pattern27 = new RegExp("^[A-Za-z_][A-Za-z0-9_]*$", "u");

function validate59(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate59.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (typeof data !== "string")){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema112.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err1 = {instancePath,schemaPath:"#/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(Object.keys(data).length < 1){
const err2 = {instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
for(const key0 in data){
if(!((key0 === "env") || (key0 === "file"))){
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
if(data.env !== undefined){
let data0 = data.env;
if(typeof data0 === "string"){
if(!pattern27.test(data0)){
const err4 = {instancePath:instancePath+"/env",schemaPath:"#/properties/env/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_]*$"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
else {
const err5 = {instancePath:instancePath+"/env",schemaPath:"#/properties/env/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.file !== undefined){
let data1 = data.file;
if(typeof data1 === "string"){
if(func1(data1) < 1){
const err6 = {instancePath:instancePath+"/file",schemaPath:"#/$defs/path/minLength",keyword:"minLength",params:{limit: 1}};
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
const err7 = {instancePath:instancePath+"/file",schemaPath:"#/$defs/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
validate59.errors = vErrors;
return errors === 0;
}
validate59.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate53(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="tls-certificate.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate53.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("TLSCertificate" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "TLSCertificate"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate54(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
let data3 = data.lifecycle;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
const err9 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/type",keyword:"type",params:{type: schema99.properties.lifecycle.type}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(((key1 === "deletion") || (key1 === "replaced")) || (key1 === "ignore"))){
const err10 = {instancePath:instancePath+"/lifecycle",schemaPath:"#/properties/lifecycle/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.deletion !== undefined){
let data4 = data3.deletion;
if((typeof data4 !== "string") && (data4 !== null)){
const err11 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/type",keyword:"type",params:{type: schema40.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(!((((data4 === "delete") || (data4 === "protect")) || (data4 === "orphan")) || (data4 === null))){
const err12 = {instancePath:instancePath+"/lifecycle/deletion",schemaPath:"definitions.schema.json#/$defs/deletion/enum",keyword:"enum",params:{allowedValues: schema40.enum}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data3.replaced !== undefined){
let data5 = data3.replaced;
if((typeof data5 !== "string") && (data5 !== null)){
const err13 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/type",keyword:"type",params:{type: schema41.type}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!(((data5 === "delete") || (data5 === "orphan")) || (data5 === null))){
const err14 = {instancePath:instancePath+"/lifecycle/replaced",schemaPath:"definitions.schema.json#/$defs/replaced/enum",keyword:"enum",params:{allowedValues: schema41.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data3.ignore !== undefined){
let data6 = data3.ignore;
if((!(Array.isArray(data6))) && (data6 !== null)){
const err15 = {instancePath:instancePath+"/lifecycle/ignore",schemaPath:"definitions.schema.json#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(Array.isArray(data6)){
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
let data7 = data6[i0];
if(typeof data7 === "string"){
if(!pattern7.test(data7)){
const err16 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
else {
const err17 = {instancePath:instancePath+"/lifecycle/ignore/" + i0,schemaPath:"definitions.schema.json#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
}
}
}
if(data.spec !== undefined){
let data8 = data.spec;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
if(data8.certificate_pem === undefined){
const err18 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "certificate_pem"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data8.private_key_pem === undefined){
const err19 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "private_key_pem"}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
for(const key2 in data8){
if(!((((key2 === "description") || (key2 === "metadata")) || (key2 === "certificate_pem")) || (key2 === "private_key_pem"))){
const err20 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data8.description !== undefined){
let data9 = data8.description;
if((typeof data9 !== "string") && (data9 !== null)){
const err21 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/description/type",keyword:"type",params:{type: schema43.type}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(typeof data9 === "string"){
if(data9.length * 3 > 255 && Buffer.byteLength(data9, "utf8") > 255){
const err22 = {instancePath:instancePath+"/spec/description",schemaPath:"definitions.schema.json#/$defs/description/maxBytes",keyword:"maxBytes",params:{limit: 255}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
}
if(data8.metadata !== undefined){
let data10 = data8.metadata;
if(((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (typeof data10 !== "string")) && (data10 !== null)){
const err23 = {instancePath:instancePath+"/spec/metadata",schemaPath:"definitions.schema.json#/$defs/userMetadata/type",keyword:"type",params:{type: schema44.type}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.edgewise !== undefined){
const err24 = {instancePath:instancePath+"/spec/metadata/edgewise",schemaPath:"definitions.schema.json#/$defs/userMetadata/properties/edgewise/false schema",keyword:"false schema",params:{}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
if(data8.certificate_pem !== undefined){
if(!(validate57(data8.certificate_pem, {instancePath:instancePath+"/spec/certificate_pem",parentData:data8,parentDataProperty:"certificate_pem",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
}
if(data8.private_key_pem !== undefined){
if(!(validate59(data8.private_key_pem, {instancePath:instancePath+"/spec/private_key_pem",parentData:data8,parentDataProperty:"private_key_pem",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate59.errors : vErrors.concat(validate59.errors);
errors = vErrors.length;
}
}
}
else {
const err25 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
validate53.errors = vErrors;
return errors === 0;
}
validate53.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const HTTPSEdge: Validator = validate61;
const schema114 = {"$id":"https-edge.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"HTTPSEdge"},"metadata":{"$ref":"definitions.schema.json#/$defs/moduleMetadata"},"lifecycle":{"$ref":"definitions.schema.json#/$defs/moduleLifecycle"},"spec":{"type":"object","properties":{"tls_termination":{"type":["object","null"],"properties":{"enabled":{"$ref":"definitions.schema.json#/$defs/enabled"},"min_version":{"$ref":"definitions.schema.json#/$defs/minVersion"}},"additionalProperties":false}},"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};
const schema116 = {"type":"object","properties":{"name":{"$ref":"#/$defs/name"},"labels":{"$ref":"#/$defs/labels"},"id":{"$ref":"#/$defs/adoptedId"}},"required":["name"],"additionalProperties":false};

function validate62(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate62.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(((key0 === "name") || (key0 === "labels")) || (key0 === "id"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
validate62.errors = vErrors;
return errors === 0;
}
validate62.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema120 = {"type":["object","null"],"properties":{"ignore":{"$ref":"#/$defs/ignore"}},"additionalProperties":false};

function validate64(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate64.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema120.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "ignore")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.ignore !== undefined){
let data0 = data.ignore;
if((!(Array.isArray(data0))) && (data0 !== null)){
const err2 = {instancePath:instancePath+"/ignore",schemaPath:"#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(Array.isArray(data0)){
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
if(typeof data1 === "string"){
if(!pattern7.test(data1)){
const err3 = {instancePath:instancePath+"/ignore/" + i0,schemaPath:"#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/ignore/" + i0,schemaPath:"#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
}
}
validate64.errors = vErrors;
return errors === 0;
}
validate64.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate61(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https-edge.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate61.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("HTTPSEdge" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "HTTPSEdge"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate62(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
if(!(validate64(data.lifecycle, {instancePath:instancePath+"/lifecycle",parentData:data,parentDataProperty:"lifecycle",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate64.errors : vErrors.concat(validate64.errors);
errors = vErrors.length;
}
}
if(data.spec !== undefined){
let data4 = data.spec;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
for(const key1 in data4){
if(!(key1 === "tls_termination")){
const err9 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data4.tls_termination !== undefined){
let data5 = data4.tls_termination;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
const err10 = {instancePath:instancePath+"/spec/tls_termination",schemaPath:"#/properties/spec/properties/tls_termination/type",keyword:"type",params:{type: schema114.properties.spec.properties.tls_termination.type}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
for(const key2 in data5){
if(!((key2 === "enabled") || (key2 === "min_version"))){
const err11 = {instancePath:instancePath+"/spec/tls_termination",schemaPath:"#/properties/spec/properties/tls_termination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data5.enabled !== undefined){
let data6 = data5.enabled;
if((typeof data6 !== "boolean") && (data6 !== null)){
const err12 = {instancePath:instancePath+"/spec/tls_termination/enabled",schemaPath:"definitions.schema.json#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data5.min_version !== undefined){
let data7 = data5.min_version;
if((typeof data7 !== "string") && (data7 !== null)){
const err13 = {instancePath:instancePath+"/spec/tls_termination/min_version",schemaPath:"definitions.schema.json#/$defs/minVersion/type",keyword:"type",params:{type: schema70.type}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(typeof data7 === "string"){
if(!pattern16.test(data7)){
const err14 = {instancePath:instancePath+"/spec/tls_termination/min_version",schemaPath:"definitions.schema.json#/$defs/minVersion/pattern",keyword:"pattern",params:{pattern: "^[0-9]+\\.[0-9]+$"}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
}
}
}
else {
const err15 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
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
validate61.errors = vErrors;
return errors === 0;
}
validate61.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

export const HTTPSEdgeRoute: Validator = validate66;
const schema124 = {"$id":"https-edge-route.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"HTTPSEdgeRoute"},"metadata":{"$ref":"definitions.schema.json#/$defs/moduleMetadata"},"lifecycle":{"$ref":"definitions.schema.json#/$defs/moduleLifecycle"},"spec":{"type":"object","properties":{"edge":{"$ref":"definitions.schema.json#/$defs/refById"},"webhook_verification":{"type":["object","null"],"properties":{"enabled":{"$ref":"definitions.schema.json#/$defs/enabled"},"provider":{"type":"string","minLength":1},"secret":{"type":["object","string","null"],"properties":{"env":{"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"},"file":{"$ref":"definitions.schema.json#/$defs/path"}},"additionalProperties":false,"minProperties":1,"maxProperties":1}},"required":["provider"],"additionalProperties":false},"traffic_policy":{"$ref":"definitions.schema.json#/$defs/trafficPolicy"}},"required":["edge"],"additionalProperties":false}},"required":["apiVersion","kind","metadata","spec"],"additionalProperties":false};

function validate67(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate67.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.name === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "name"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(((key0 === "name") || (key0 === "labels")) || (key0 === "id"))){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.name !== undefined){
let data0 = data.name;
if(typeof data0 === "string"){
if(func1(data0) > 100){
const err2 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/maxLength",keyword:"maxLength",params:{limit: 100}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.labels !== undefined){
let data1 = data.labels;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/labels",schemaPath:"#/$defs/labels/type",keyword:"type",params:{type: schema36.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(typeof data1[key1] !== "string"){
const err6 = {instancePath:instancePath+"/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/labels/additionalProperties/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
}
}
if(data.id !== undefined){
let data3 = data.id;
if((typeof data3 !== "string") && (data3 !== null)){
const err7 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data3 === "string"){
if(func1(data3) > 255){
const err8 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(!pattern5.test(data3)){
const err9 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
validate67.errors = vErrors;
return errors === 0;
}
validate67.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate69(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate69.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema120.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "ignore")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.ignore !== undefined){
let data0 = data.ignore;
if((!(Array.isArray(data0))) && (data0 !== null)){
const err2 = {instancePath:instancePath+"/ignore",schemaPath:"#/$defs/ignore/type",keyword:"type",params:{type: schema42.type}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(Array.isArray(data0)){
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
if(typeof data1 === "string"){
if(!pattern7.test(data1)){
const err3 = {instancePath:instancePath+"/ignore/" + i0,schemaPath:"#/$defs/ignore/items/pattern",keyword:"pattern",params:{pattern: "^spec\\.[^.]+(\\.[^.]+)*$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/ignore/" + i0,schemaPath:"#/$defs/ignore/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
}
}
validate69.errors = vErrors;
return errors === 0;
}
validate69.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate71(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate71.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.id === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
for(const key0 in data){
if(!(key0 === "id")){
const err1 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.id !== undefined){
let data0 = data.id;
if(typeof data0 === "string"){
if(func1(data0) > 255){
const err2 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern5.test(data0)){
const err3 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/$defs/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
else {
const err5 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
validate71.errors = vErrors;
return errors === 0;
}
validate71.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate73(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate73.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema71.type}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.value === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "value"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
for(const key0 in data){
if(!((key0 === "enabled") || (key0 === "value"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.enabled !== undefined){
let data0 = data.enabled;
if((typeof data0 !== "boolean") && (data0 !== null)){
const err3 = {instancePath:instancePath+"/enabled",schemaPath:"#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.value !== undefined){
let data1 = data.value;
if((!(data1 && typeof data1 == "object" && !Array.isArray(data1))) && (typeof data1 !== "string")){
const err4 = {instancePath:instancePath+"/value",schemaPath:"#/properties/value/type",keyword:"type",params:{type: schema71.properties.value.type}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
const _errs7 = errors;
let valid2 = true;
const _errs8 = errors;
if(errors === _errs8){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing0;
if((data1.file === undefined) && (missing0 = "file")){
const err5 = {};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
else {
const err6 = {};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
var _valid0 = _errs8 === errors;
errors = _errs7;
if(vErrors !== null){
if(_errs7){
vErrors.length = _errs7;
}
else {
vErrors = null;
}
}
if(_valid0){
const _errs10 = errors;
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
if(!(key1 === "file")){
const err7 = {instancePath:instancePath+"/value",schemaPath:"#/properties/value/then/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data1.file !== undefined){
let data2 = data1.file;
if(typeof data2 === "string"){
if(func1(data2) < 1){
const err8 = {instancePath:instancePath+"/value/file",schemaPath:"#/$defs/path/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
else {
const err9 = {instancePath:instancePath+"/value/file",schemaPath:"#/$defs/path/type",keyword:"type",params:{type: "string"}};
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
var _valid0 = _errs10 === errors;
valid2 = _valid0;
}
if(!valid2){
const err10 = {instancePath:instancePath+"/value",schemaPath:"#/properties/value/if",keyword:"if",params:{failingKeyword: "then"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
}
validate73.errors = vErrors;
return errors === 0;
}
validate73.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate66(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https-edge-route.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate66.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "lifecycle")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("edgewise/v1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if("HTTPSEdgeRoute" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "HTTPSEdgeRoute"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
if(!(validate67(data.metadata, {instancePath:instancePath+"/metadata",parentData:data,parentDataProperty:"metadata",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate67.errors : vErrors.concat(validate67.errors);
errors = vErrors.length;
}
}
if(data.lifecycle !== undefined){
if(!(validate69(data.lifecycle, {instancePath:instancePath+"/lifecycle",parentData:data,parentDataProperty:"lifecycle",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate69.errors : vErrors.concat(validate69.errors);
errors = vErrors.length;
}
}
if(data.spec !== undefined){
let data4 = data.spec;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.edge === undefined){
const err9 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "edge"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
for(const key1 in data4){
if(!(((key1 === "edge") || (key1 === "webhook_verification")) || (key1 === "traffic_policy"))){
const err10 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data4.edge !== undefined){
if(!(validate71(data4.edge, {instancePath:instancePath+"/spec/edge",parentData:data4,parentDataProperty:"edge",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate71.errors : vErrors.concat(validate71.errors);
errors = vErrors.length;
}
}
if(data4.webhook_verification !== undefined){
let data6 = data4.webhook_verification;
if((!(data6 && typeof data6 == "object" && !Array.isArray(data6))) && (data6 !== null)){
const err11 = {instancePath:instancePath+"/spec/webhook_verification",schemaPath:"#/properties/spec/properties/webhook_verification/type",keyword:"type",params:{type: schema124.properties.spec.properties.webhook_verification.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
if(data6.provider === undefined){
const err12 = {instancePath:instancePath+"/spec/webhook_verification",schemaPath:"#/properties/spec/properties/webhook_verification/required",keyword:"required",params:{missingProperty: "provider"}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
for(const key2 in data6){
if(!(((key2 === "enabled") || (key2 === "provider")) || (key2 === "secret"))){
const err13 = {instancePath:instancePath+"/spec/webhook_verification",schemaPath:"#/properties/spec/properties/webhook_verification/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data6.enabled !== undefined){
let data7 = data6.enabled;
if((typeof data7 !== "boolean") && (data7 !== null)){
const err14 = {instancePath:instancePath+"/spec/webhook_verification/enabled",schemaPath:"definitions.schema.json#/$defs/enabled/type",keyword:"type",params:{type: schema60.type}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data6.provider !== undefined){
let data8 = data6.provider;
if(typeof data8 === "string"){
if(func1(data8) < 1){
const err15 = {instancePath:instancePath+"/spec/webhook_verification/provider",schemaPath:"#/properties/spec/properties/webhook_verification/properties/provider/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
else {
const err16 = {instancePath:instancePath+"/spec/webhook_verification/provider",schemaPath:"#/properties/spec/properties/webhook_verification/properties/provider/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data6.secret !== undefined){
let data9 = data6.secret;
if(((!(data9 && typeof data9 == "object" && !Array.isArray(data9))) && (typeof data9 !== "string")) && (data9 !== null)){
const err17 = {instancePath:instancePath+"/spec/webhook_verification/secret",schemaPath:"#/properties/spec/properties/webhook_verification/properties/secret/type",keyword:"type",params:{type: schema124.properties.spec.properties.webhook_verification.properties.secret.type}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
if(Object.keys(data9).length > 1){
const err18 = {instancePath:instancePath+"/spec/webhook_verification/secret",schemaPath:"#/properties/spec/properties/webhook_verification/properties/secret/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(Object.keys(data9).length < 1){
const err19 = {instancePath:instancePath+"/spec/webhook_verification/secret",schemaPath:"#/properties/spec/properties/webhook_verification/properties/secret/minProperties",keyword:"minProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
for(const key3 in data9){
if(!((key3 === "env") || (key3 === "file"))){
const err20 = {instancePath:instancePath+"/spec/webhook_verification/secret",schemaPath:"#/properties/spec/properties/webhook_verification/properties/secret/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data9.env !== undefined){
let data10 = data9.env;
if(typeof data10 === "string"){
if(!pattern27.test(data10)){
const err21 = {instancePath:instancePath+"/spec/webhook_verification/secret/env",schemaPath:"#/properties/spec/properties/webhook_verification/properties/secret/properties/env/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_]*$"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/spec/webhook_verification/secret/env",schemaPath:"#/properties/spec/properties/webhook_verification/properties/secret/properties/env/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data9.file !== undefined){
let data11 = data9.file;
if(typeof data11 === "string"){
if(func1(data11) < 1){
const err23 = {instancePath:instancePath+"/spec/webhook_verification/secret/file",schemaPath:"definitions.schema.json#/$defs/path/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
else {
const err24 = {instancePath:instancePath+"/spec/webhook_verification/secret/file",schemaPath:"definitions.schema.json#/$defs/path/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
}
}
}
if(data4.traffic_policy !== undefined){
if(!(validate73(data4.traffic_policy, {instancePath:instancePath+"/spec/traffic_policy",parentData:data4,parentDataProperty:"traffic_policy",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate73.errors : vErrors.concat(validate73.errors);
errors = vErrors.length;
}
}
}
else {
const err25 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
validate66.errors = vErrors;
return errors === 0;
}
validate66.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

