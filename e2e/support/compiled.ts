import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Fills the server's compile cache, because tests kill most servers before they write it. */
export default function setup(): void {
  const server = pathToFileURL(join(import.meta.dirname, '../../server/app/src/server.ts')).href
  execFileSync(process.execPath, ['--input-type=module', '--eval', `import ${JSON.stringify(server)}`])
}
