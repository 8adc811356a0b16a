import { globSync } from 'node:fs'
import { exitWithUsage, readCommand } from '../command.ts'
import { missingGuides } from './guides.ts'
import { isArchitecture, programsIn } from './programs.ts'

/** `node scripts/distribution/check-programs.ts FOLDER amd64|arm64`: fails if a program is for another architecture, or a guide is missing. */
const USAGE = 'usage: node scripts/distribution/check-programs.ts FOLDER amd64|arm64'
const [folder, architecture] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!folder || !architecture || !isArchitecture(architecture))
  exitWithUsage(USAGE, 'expected a folder and an architecture')
const FEWEST = 3
const { all, strange } = programsIn(folder, architecture)
if (strange.length > 0) exitWithUsage(USAGE, `not for ${architecture}:\n${strange.join('\n')}`)
if (all.length < FEWEST)
  exitWithUsage(USAGE, `found ${all.length} programs and libraries, expected Node, sharp and libvips`)
const naming = globSync(['etc/ordbook/*.env', 'usr/lib/systemd/system/*', 'usr/share/doc/ordbook/*.yaml'], {
  cwd: folder,
})
const missing = missingGuides(folder, naming)
if (missing.length > 0)
  exitWithUsage(USAGE, `guides that the package does not contain:\n${missing.join('\n')}`)
console.log(`${all.length} programs and libraries, all for ${architecture}`)
