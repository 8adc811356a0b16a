import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { COMPILED } from './compiled.ts'
import { buildStorefront } from './start/build-storefront.ts'

/** `npm install` builds the pages and compiles the server, so that a market starts faster. */
const server = join(import.meta.dirname, '../server/app/src/server.ts')
const load = `await import(${JSON.stringify(server)}); process.exit()`
await Promise.all([
  buildStorefront(),
  promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
  }),
])
