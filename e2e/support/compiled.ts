import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Servers are started over and over, and most are killed: what they compile to is kept from before the first. */
export default function setup(): void {
  const main = pathToFileURL(join(import.meta.dirname, '../../server/src/main.ts')).href
  execFileSync(process.execPath, ['--input-type=module', '--eval', `import ${JSON.stringify(main)}`])
}
