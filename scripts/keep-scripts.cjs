// Preloaded by scripts/compile-parts.mjs: writes what V8 compiled of each script of the program when the program ends.
const { statSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const vm = require("node:vm");
const { crc32 } = require("node:zlib");

/** Smaller parts are compiled as fast as they are read. */
const leastBytes = 8192;
const scripts = new Map();

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
  }
};

process.on("exit", () => {
  for (const [file, script] of scripts) {
    if (statSync(file).size < leastBytes) continue;
    const data = script.createCachedData();
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(data));
    writeFileSync(join(process.env.KEEP_SCRIPTS_IN, basename(file)), Buffer.concat([checksum, data]));
  }
});
