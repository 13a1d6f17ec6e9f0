/**
 * Starts a bundled program with the code that V8 made of it when it was built, so that a start compiles next to nothing.
 * Copied beside the programs (dist/programs/start.cjs). Whatever is wrong with a program's cache, the program starts
 * without it.
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { Module, createRequire } = require('node:module');
const { dirname } = require('node:path');
const vm = require('node:vm');

const DIGEST_BYTES = 32;

/** Over everything that a cache depends on and V8 does not check itself: V8 compares no more of the source than its length. */
function digest(code, cached) {
  return createHash('sha256')
    .update(`${process.version} ${process.arch}\n`)
    .update(code)
    .update(cached)
    .digest();
}

/** The script of a bundle; `cached` is what a former run left. Bundles are ASCII, which V8 takes as it is. */
function compile(path, code, cached) {
  return new vm.Script(Module.wrap(code.toString('latin1').replace(/^#!/, '//')), {
    filename: path,
    ...(cached === undefined ? {} : { cachedData: cached }),
  });
}

/** Runs a compiled bundle as Node.js would run its file. */
function run(script, path) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
}

/** The cache's content, or undefined where there is none for these bytes. */
function cacheOf(path, code) {
  try {
    const file = readFileSync(`${path}.cache`);
    const cached = file.subarray(DIGEST_BYTES);
    return digest(code, cached).equals(file.subarray(0, DIGEST_BYTES)) ? cached : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} path the bundle */
function start(path) {
  // Node.js maps traces to the sources for modules that it loads itself.
  if (process.sourceMapsEnabled) return require(path);
  const code = readFileSync(path);
  run(compile(path, code, cacheOf(path, code)), path);
}

module.exports = { start, compile, run, digest };
