import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** ELF machine numbers (e_machine), by Debian's architecture names. */
const MACHINES = { amd64: 0x3e, arm64: 0xb7 } as const
export type Architecture = keyof typeof MACHINES

export const isArchitecture = (name: string): name is Architecture => Object.hasOwn(MACHINES, name)

/** Returns the programs and libraries in a folder, and those for another architecture. */
export function programsIn(folder: string, architecture: Architecture): { all: string[]; strange: string[] } {
  const found = { all: [] as string[], strange: [] as string[] }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const head = Buffer.alloc(20)
    const file = openSync(path, 'r')
    const count = readSync(file, head, 0, head.length, 0)
    closeSync(file)
    if (count < head.length || head.readUInt32BE(0) !== 0x7f454c46) continue
    found.all.push(path)
    if (head.readUInt16LE(18) !== MACHINES[architecture]) found.strange.push(path)
  }
  return found
}
