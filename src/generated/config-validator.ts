// Generated from schemas/ by `npm run generate`. Not to be edited.
// @ts-nocheck
import type { Validator } from "../schema/validator.js";
export const Config: Validator = validate20;
const schema31 = {"$id":"config.schema.json","type":"object","properties":{"apiVersion":{"$ref":"definitions.schema.json#/$defs/apiVersion"},"kind":{"type":"string","const":"Config"},"stack":{"$ref":"#/$defs/stack"},"manifests":{"$ref":"#/$defs/manifests"},"api":{"$ref":"#/$defs/api"},"variables":{"$ref":"#/$defs/variables"},"guards":{"$ref":"#/$defs/guards"},"adopt":{"$ref":"#/$defs/adopt"},"previousStacks":{"$ref":"#/$defs/previousStacks"},"environments":{"type":["object","null"],"propertyNames":{"pattern":"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"},"additionalProperties":{"type":["object","null"],"properties":{"stack":{"$ref":"#/$defs/stack"},"manifests":{"$ref":"#/$defs/manifests"},"api":{"$ref":"#/$defs/api"},"variables":{"$ref":"#/$defs/variables"},"guards":{"$ref":"#/$defs/guards"},"adopt":{"$ref":"#/$defs/adopt"},"previousStacks":{"$ref":"#/$defs/previousStacks"}},"additionalProperties":false}}},"required":["apiVersion","kind"],"additionalProperties":false,"$defs":{"stackName":{"type":"string","minLength":1,"maxLength":200,"pattern":"^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"},"stack":{"type":["string","null"],"minLength":1,"maxLength":200,"pattern":"^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"},"manifests":{"type":["array","null"],"items":{"type":"string","minLength":1}},"api":{"type":["object","null"],"properties":{"baseUrl":{"type":["string","null"],"minLength":1},"versionHeader":{"type":["string","null"],"pattern":"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"},"requestsPerMinute":{"type":["integer","null"],"minimum":1},"timeout":{"$ref":"#/$defs/duration"},"deadline":{"$ref":"#/$defs/duration"},"moduleEndpoints":{"type":["array","null"],"items":{"type":"string","enum":["backend","ip_restriction"]},"uniqueItems":true}},"additionalProperties":false},"duration":{"type":["string","null"],"pattern":"^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$"},"variables":{"type":["object","null"],"propertyNames":{"pattern":"^[A-Za-z_][A-Za-z0-9_-]*$"},"additionalProperties":true},"guards":{"type":["object","null"],"properties":{"maxDeletes":{"type":["integer","string","null"],"minimum":0,"pattern":"^([0-9]|[1-9][0-9]|100)%$"},"allow":{"type":["array","null"],"items":{"$ref":"definitions.schema.json#/$defs/address"}}},"additionalProperties":false},"adopt":{"type":["object","null"],"propertyNames":{"$ref":"definitions.schema.json#/$defs/address"},"additionalProperties":{"$ref":"definitions.schema.json#/$defs/adoptedId"}},"previousStacks":{"type":["array","null"],"items":{"$ref":"#/$defs/stackName"}}}};
const schema33 = {"type":"string","const":"edgewise/v1"};
const schema34 = {"type":["string","null"],"minLength":1,"maxLength":200,"pattern":"^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"};
const schema35 = {"type":["array","null"],"items":{"type":"string","minLength":1}};
const schema39 = {"type":["object","null"],"propertyNames":{"pattern":"^[A-Za-z_][A-Za-z0-9_-]*$"},"additionalProperties":true};
const func1 = Object.prototype.hasOwnProperty;
const func2 = (text) => [...text].length;
const pattern4 = new RegExp("^[^\\s\\p{C}](.*[^\\s\\p{C}])?$", "u");
const pattern8 = new RegExp("^[A-Za-z_][A-Za-z0-9_-]*$", "u");
const pattern14 = new RegExp("^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", "u");
const schema36 = {"type":["object","null"],"properties":{"baseUrl":{"type":["string","null"],"minLength":1},"versionHeader":{"type":["string","null"],"pattern":"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"},"requestsPerMinute":{"type":["integer","null"],"minimum":1},"timeout":{"$ref":"#/$defs/duration"},"deadline":{"$ref":"#/$defs/duration"},"moduleEndpoints":{"type":["array","null"],"items":{"type":"string","enum":["backend","ip_restriction"]},"uniqueItems":true}},"additionalProperties":false};
const schema37 = {"type":["string","null"],"pattern":"^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$"};
const pattern5 = new RegExp("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", "u");
const pattern6 = new RegExp("^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$", "u");

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
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema36.type}};
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
if(!((((((key0 === "baseUrl") || (key0 === "versionHeader")) || (key0 === "requestsPerMinute")) || (key0 === "timeout")) || (key0 === "deadline")) || (key0 === "moduleEndpoints"))){
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
if(data.baseUrl !== undefined){
let data0 = data.baseUrl;
if((typeof data0 !== "string") && (data0 !== null)){
const err2 = {instancePath:instancePath+"/baseUrl",schemaPath:"#/properties/baseUrl/type",keyword:"type",params:{type: schema36.properties.baseUrl.type}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(typeof data0 === "string"){
if(func2(data0) < 1){
const err3 = {instancePath:instancePath+"/baseUrl",schemaPath:"#/properties/baseUrl/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
if(data.versionHeader !== undefined){
let data1 = data.versionHeader;
if((typeof data1 !== "string") && (data1 !== null)){
const err4 = {instancePath:instancePath+"/versionHeader",schemaPath:"#/properties/versionHeader/type",keyword:"type",params:{type: schema36.properties.versionHeader.type}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(typeof data1 === "string"){
if(!pattern5.test(data1)){
const err5 = {instancePath:instancePath+"/versionHeader",schemaPath:"#/properties/versionHeader/pattern",keyword:"pattern",params:{pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
if(data.requestsPerMinute !== undefined){
let data2 = data.requestsPerMinute;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (data2 !== null)){
const err6 = {instancePath:instancePath+"/requestsPerMinute",schemaPath:"#/properties/requestsPerMinute/type",keyword:"type",params:{type: schema36.properties.requestsPerMinute.type}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 1 || isNaN(data2)){
const err7 = {instancePath:instancePath+"/requestsPerMinute",schemaPath:"#/properties/requestsPerMinute/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
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
if(data.timeout !== undefined){
let data3 = data.timeout;
if((typeof data3 !== "string") && (data3 !== null)){
const err8 = {instancePath:instancePath+"/timeout",schemaPath:"#/$defs/duration/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(typeof data3 === "string"){
if(!pattern6.test(data3)){
const err9 = {instancePath:instancePath+"/timeout",schemaPath:"#/$defs/duration/pattern",keyword:"pattern",params:{pattern: "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$"}};
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
if(data.deadline !== undefined){
let data4 = data.deadline;
if((typeof data4 !== "string") && (data4 !== null)){
const err10 = {instancePath:instancePath+"/deadline",schemaPath:"#/$defs/duration/type",keyword:"type",params:{type: schema37.type}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(typeof data4 === "string"){
if(!pattern6.test(data4)){
const err11 = {instancePath:instancePath+"/deadline",schemaPath:"#/$defs/duration/pattern",keyword:"pattern",params:{pattern: "^[0-9]+(\\.[0-9]+)?(ms|s|m|h)$"}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
}
if(data.moduleEndpoints !== undefined){
let data5 = data.moduleEndpoints;
if((!(Array.isArray(data5))) && (data5 !== null)){
const err12 = {instancePath:instancePath+"/moduleEndpoints",schemaPath:"#/properties/moduleEndpoints/type",keyword:"type",params:{type: schema36.properties.moduleEndpoints.type}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(Array.isArray(data5)){
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
let data6 = data5[i0];
if(typeof data6 !== "string"){
const err13 = {instancePath:instancePath+"/moduleEndpoints/" + i0,schemaPath:"#/properties/moduleEndpoints/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(!((data6 === "backend") || (data6 === "ip_restriction"))){
const err14 = {instancePath:instancePath+"/moduleEndpoints/" + i0,schemaPath:"#/properties/moduleEndpoints/items/enum",keyword:"enum",params:{allowedValues: schema36.properties.moduleEndpoints.items.enum}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
let i1 = data5.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data5[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
const err15 = {instancePath:instancePath+"/moduleEndpoints",schemaPath:"#/properties/moduleEndpoints/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
break;
}
indices0[item0] = i1;
}
}
}
}
}
validate22.errors = vErrors;
return errors === 0;
}
validate22.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema40 = {"type":["object","null"],"properties":{"maxDeletes":{"type":["integer","string","null"],"minimum":0,"pattern":"^([0-9]|[1-9][0-9]|100)%$"},"allow":{"type":["array","null"],"items":{"$ref":"definitions.schema.json#/$defs/address"}}},"additionalProperties":false};
const schema41 = {"type":"string","pattern":"^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/[^\\s/]+$"};
const pattern9 = new RegExp("^([0-9]|[1-9][0-9]|100)%$", "u");
const pattern10 = new RegExp("^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/[^\\s/]+$", "u");

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
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema40.type}};
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
if(!((key0 === "maxDeletes") || (key0 === "allow"))){
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
if(data.maxDeletes !== undefined){
let data0 = data.maxDeletes;
if(((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (typeof data0 !== "string")) && (data0 !== null)){
const err2 = {instancePath:instancePath+"/maxDeletes",schemaPath:"#/properties/maxDeletes/type",keyword:"type",params:{type: schema40.properties.maxDeletes.type}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 < 0 || isNaN(data0)){
const err3 = {instancePath:instancePath+"/maxDeletes",schemaPath:"#/properties/maxDeletes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(typeof data0 === "string"){
if(!pattern9.test(data0)){
const err4 = {instancePath:instancePath+"/maxDeletes",schemaPath:"#/properties/maxDeletes/pattern",keyword:"pattern",params:{pattern: "^([0-9]|[1-9][0-9]|100)%$"}};
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
if(data.allow !== undefined){
let data1 = data.allow;
if((!(Array.isArray(data1))) && (data1 !== null)){
const err5 = {instancePath:instancePath+"/allow",schemaPath:"#/properties/allow/type",keyword:"type",params:{type: schema40.properties.allow.type}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(Array.isArray(data1)){
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
if(typeof data2 === "string"){
if(!pattern10.test(data2)){
const err6 = {instancePath:instancePath+"/allow/" + i0,schemaPath:"definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/[^\\s/]+$"}};
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
const err7 = {instancePath:instancePath+"/allow/" + i0,schemaPath:"definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"}};
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
}
}
validate24.errors = vErrors;
return errors === 0;
}
validate24.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema42 = {"type":["object","null"],"propertyNames":{"$ref":"definitions.schema.json#/$defs/address"},"additionalProperties":{"$ref":"definitions.schema.json#/$defs/adoptedId"}};
const schema44 = {"type":["string","null"],"pattern":"^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$","maxLength":255};
const pattern12 = new RegExp("^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$", "u");

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
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema42.type}};
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
const _errs1 = errors;
if(typeof key0 === "string"){
if(!pattern10.test(key0)){
const err1 = {instancePath,schemaPath:"definitions.schema.json#/$defs/address/pattern",keyword:"pattern",params:{pattern: "^(IPRestriction|TLSEdge|ReservedAddress|HTTPResponseBackend|TLSCertificate|HTTPSEdge|HTTPSEdgeRoute)/[^\\s/]+$"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
else {
const err2 = {instancePath,schemaPath:"definitions.schema.json#/$defs/address/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var valid0 = _errs1 === errors;
if(!valid0){
const err3 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
for(const key1 in data){
let data0 = data[key1];
if((typeof data0 !== "string") && (data0 !== null)){
const err4 = {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"definitions.schema.json#/$defs/adoptedId/type",keyword:"type",params:{type: schema44.type}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(typeof data0 === "string"){
if(func2(data0) > 255){
const err5 = {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"definitions.schema.json#/$defs/adoptedId/maxLength",keyword:"maxLength",params:{limit: 255}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(!pattern12.test(data0)){
const err6 = {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"definitions.schema.json#/$defs/adoptedId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_][A-Za-z0-9_.:~-]*$"}};
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
validate26.errors = vErrors;
return errors === 0;
}
validate26.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema45 = {"type":["array","null"],"items":{"$ref":"#/$defs/stackName"}};
const schema46 = {"type":"string","minLength":1,"maxLength":200,"pattern":"^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"};

function validate28(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate28.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(Array.isArray(data))) && (data !== null)){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema45.type}};
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
if(typeof data0 === "string"){
if(func2(data0) > 200){
const err1 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/stackName/maxLength",keyword:"maxLength",params:{limit: 200}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(func2(data0) < 1){
const err2 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/stackName/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(!pattern4.test(data0)){
const err3 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/stackName/pattern",keyword:"pattern",params:{pattern: "^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"}};
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
const err4 = {instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/stackName/type",keyword:"type",params:{type: "string"}};
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
validate28.errors = vErrors;
return errors === 0;
}
validate28.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};


function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="config.schema.json" */;
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
for(const key0 in data){
if(!(func1.call(schema31.properties, key0))){
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
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err3 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if("edgewise/v1" !== data0){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"definitions.schema.json#/$defs/apiVersion/const",keyword:"const",params:{allowedValue: "edgewise/v1"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err5 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if("Config" !== data1){
const err6 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "Config"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.stack !== undefined){
let data2 = data.stack;
if((typeof data2 !== "string") && (data2 !== null)){
const err7 = {instancePath:instancePath+"/stack",schemaPath:"#/$defs/stack/type",keyword:"type",params:{type: schema34.type}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(typeof data2 === "string"){
if(func2(data2) > 200){
const err8 = {instancePath:instancePath+"/stack",schemaPath:"#/$defs/stack/maxLength",keyword:"maxLength",params:{limit: 200}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(func2(data2) < 1){
const err9 = {instancePath:instancePath+"/stack",schemaPath:"#/$defs/stack/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(!pattern4.test(data2)){
const err10 = {instancePath:instancePath+"/stack",schemaPath:"#/$defs/stack/pattern",keyword:"pattern",params:{pattern: "^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"}};
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
if(data.manifests !== undefined){
let data3 = data.manifests;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err11 = {instancePath:instancePath+"/manifests",schemaPath:"#/$defs/manifests/type",keyword:"type",params:{type: schema35.type}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(Array.isArray(data3)){
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
if(typeof data4 === "string"){
if(func2(data4) < 1){
const err12 = {instancePath:instancePath+"/manifests/" + i0,schemaPath:"#/$defs/manifests/items/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/manifests/" + i0,schemaPath:"#/$defs/manifests/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
}
if(data.api !== undefined){
if(!(validate22(data.api, {instancePath:instancePath+"/api",parentData:data,parentDataProperty:"api",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
errors = vErrors.length;
}
}
if(data.variables !== undefined){
let data6 = data.variables;
if((!(data6 && typeof data6 == "object" && !Array.isArray(data6))) && (data6 !== null)){
const err14 = {instancePath:instancePath+"/variables",schemaPath:"#/$defs/variables/type",keyword:"type",params:{type: schema39.type}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
for(const key1 in data6){
const _errs19 = errors;
if(typeof key1 === "string"){
if(!pattern8.test(key1)){
const err15 = {instancePath:instancePath+"/variables",schemaPath:"#/$defs/variables/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_-]*$"},propertyName:key1};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
var valid7 = _errs19 === errors;
if(!valid7){
const err16 = {instancePath:instancePath+"/variables",schemaPath:"#/$defs/variables/propertyNames",keyword:"propertyNames",params:{propertyName: key1}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
}
if(data.guards !== undefined){
if(!(validate24(data.guards, {instancePath:instancePath+"/guards",parentData:data,parentDataProperty:"guards",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
errors = vErrors.length;
}
}
if(data.adopt !== undefined){
if(!(validate26(data.adopt, {instancePath:instancePath+"/adopt",parentData:data,parentDataProperty:"adopt",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
errors = vErrors.length;
}
}
if(data.previousStacks !== undefined){
if(!(validate28(data.previousStacks, {instancePath:instancePath+"/previousStacks",parentData:data,parentDataProperty:"previousStacks",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate28.errors : vErrors.concat(validate28.errors);
errors = vErrors.length;
}
}
if(data.environments !== undefined){
let data10 = data.environments;
if((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (data10 !== null)){
const err17 = {instancePath:instancePath+"/environments",schemaPath:"#/properties/environments/type",keyword:"type",params:{type: schema31.properties.environments.type}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
for(const key2 in data10){
const _errs26 = errors;
if(typeof key2 === "string"){
if(!pattern14.test(key2)){
const err18 = {instancePath:instancePath+"/environments",schemaPath:"#/properties/environments/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"},propertyName:key2};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
var valid8 = _errs26 === errors;
if(!valid8){
const err19 = {instancePath:instancePath+"/environments",schemaPath:"#/properties/environments/propertyNames",keyword:"propertyNames",params:{propertyName: key2}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
for(const key3 in data10){
let data11 = data10[key3];
if((!(data11 && typeof data11 == "object" && !Array.isArray(data11))) && (data11 !== null)){
const err20 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/environments/additionalProperties/type",keyword:"type",params:{type: schema31.properties.environments.additionalProperties.type}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key4 in data11){
if(!(((((((key4 === "stack") || (key4 === "manifests")) || (key4 === "api")) || (key4 === "variables")) || (key4 === "guards")) || (key4 === "adopt")) || (key4 === "previousStacks"))){
const err21 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/environments/additionalProperties/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data11.stack !== undefined){
let data12 = data11.stack;
if((typeof data12 !== "string") && (data12 !== null)){
const err22 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/stack",schemaPath:"#/$defs/stack/type",keyword:"type",params:{type: schema34.type}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(typeof data12 === "string"){
if(func2(data12) > 200){
const err23 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/stack",schemaPath:"#/$defs/stack/maxLength",keyword:"maxLength",params:{limit: 200}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(func2(data12) < 1){
const err24 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/stack",schemaPath:"#/$defs/stack/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(!pattern4.test(data12)){
const err25 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/stack",schemaPath:"#/$defs/stack/pattern",keyword:"pattern",params:{pattern: "^[^\\s\\p{C}](.*[^\\s\\p{C}])?$"}};
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
if(data11.manifests !== undefined){
let data13 = data11.manifests;
if((!(Array.isArray(data13))) && (data13 !== null)){
const err26 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/manifests",schemaPath:"#/$defs/manifests/type",keyword:"type",params:{type: schema35.type}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(Array.isArray(data13)){
const len1 = data13.length;
for(let i1=0; i1<len1; i1++){
let data14 = data13[i1];
if(typeof data14 === "string"){
if(func2(data14) < 1){
const err27 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/manifests/" + i1,schemaPath:"#/$defs/manifests/items/minLength",keyword:"minLength",params:{limit: 1}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
else {
const err28 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/manifests/" + i1,schemaPath:"#/$defs/manifests/items/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
}
}
if(data11.api !== undefined){
if(!(validate22(data11.api, {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/api",parentData:data11,parentDataProperty:"api",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
errors = vErrors.length;
}
}
if(data11.variables !== undefined){
let data16 = data11.variables;
if((!(data16 && typeof data16 == "object" && !Array.isArray(data16))) && (data16 !== null)){
const err29 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/variables",schemaPath:"#/$defs/variables/type",keyword:"type",params:{type: schema39.type}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
for(const key5 in data16){
const _errs43 = errors;
if(typeof key5 === "string"){
if(!pattern8.test(key5)){
const err30 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/variables",schemaPath:"#/$defs/variables/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_-]*$"},propertyName:key5};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
var valid16 = _errs43 === errors;
if(!valid16){
const err31 = {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/variables",schemaPath:"#/$defs/variables/propertyNames",keyword:"propertyNames",params:{propertyName: key5}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
}
}
if(data11.guards !== undefined){
if(!(validate24(data11.guards, {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/guards",parentData:data11,parentDataProperty:"guards",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
errors = vErrors.length;
}
}
if(data11.adopt !== undefined){
if(!(validate26(data11.adopt, {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/adopt",parentData:data11,parentDataProperty:"adopt",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
errors = vErrors.length;
}
}
if(data11.previousStacks !== undefined){
if(!(validate28(data11.previousStacks, {instancePath:instancePath+"/environments/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/previousStacks",parentData:data11,parentDataProperty:"previousStacks",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate28.errors : vErrors.concat(validate28.errors);
errors = vErrors.length;
}
}
}
}
}
}
}
else {
const err32 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

