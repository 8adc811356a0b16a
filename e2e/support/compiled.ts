import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Servers are started over and over, and most are killed, so their compiled code is cached before the first start. */
export default function setup(): void {
  const server = pathToFileURL(join(import.meta.dirname, '../../server/app/src/server.ts')).href
  execFileSync(process.execPath, ['--input-type=module', '--eval', `import ${JSON.stringify(server)}`])
}
