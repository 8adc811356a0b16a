import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { exitWithUsage, readCommand } from '../command.ts'
import { printCompletion } from './completion.ts'
import { programHelps } from './help.ts'
import { printManPage } from './man-page.ts'

/** `node scripts/command-files/write.ts FOLDER VERSION`: writes the man page and the completion of `ordbook` to a package. */
const USAGE = 'usage: node scripts/command-files/write.ts FOLDER VERSION'
const [folder, version] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!folder || !version) exitWithUsage(USAGE, 'expected a folder and a version')
const helps = programHelps()
const write = (path: string, content: string | Buffer) => {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}
write('usr/share/man/man1/ordbook.1.gz', gzipSync(printManPage(helps, version), { level: 9 }))
write('usr/share/bash-completion/completions/ordbook', printCompletion(helps))
