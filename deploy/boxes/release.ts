import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Values that the drafts lack. */
export interface Facts {
  /** NAME:VERSION@sha256:DIGEST, with the digest of the multi-architecture index. */
  image: string
  website: string
  repository: string
  support: string
  /** Pull request in the store. */
  submission: string
}

const DRAFT_IMAGE = /ordbook\/ordbook:[\w.-]+(@sha256:0{64})?/g
const DRAFT_ADDRESS = 'https://ordbook.example'
/** The owner's examples, which keep their placeholders. */
const EXAMPLES = 'market.conf'

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Lists the placeholders that remain in a folder. */
export function placeholdersIn(folder: string): string[] {
  const found: string[] = []
  for (const file of filesOf(folder).filter((path) => basename(path) !== EXAMPLES))
    for (const [n, line] of readFileSync(file, 'utf8').split('\n').entries())
      if (/sha256:0{64}|ordbook\/ordbook:|\bordbook\.example\b/.test(line))
        found.push(`${file}:${n + 1}: ${line.trim()}`)
  return found
}

/** Copies the drafts into an empty folder and fills in the values of a release. Throws if a placeholder remains. */
export function fillIn(drafts: readonly string[], destination: string, facts: Facts): void {
  if (!/^[^@\s]+:[^@\s]+@sha256:[0-9a-f]{64}$/.test(facts.image) || /sha256:0{64}$/.test(facts.image))
    throw new Error(`--image ${facts.image}: expected NAME:VERSION@sha256:DIGEST of a published image`)
  if (existsSync(destination) && readdirSync(destination).length > 0)
    throw new Error(`${destination} is not empty`)
  const addresses = {
    [`${DRAFT_ADDRESS}/repository`]: facts.repository,
    [`${DRAFT_ADDRESS}/support`]: facts.support,
    [`${DRAFT_ADDRESS}/submission`]: facts.submission,
    [DRAFT_ADDRESS]: facts.website,
  }
  for (const address of Object.values(addresses))
    if (!URL.canParse(address)) throw new Error(`${address}: expected a URL`)
  for (const draft of drafts) {
    const folder = join(destination, basename(draft))
    mkdirSync(folder, { recursive: true })
    cpSync(draft, folder, { recursive: true })
    for (const file of filesOf(folder).filter((path) => basename(path) !== EXAMPLES)) {
      const text = readFileSync(file, 'utf8')
      let filled = text.replace(DRAFT_IMAGE, facts.image)
      for (const [from, to] of Object.entries(addresses)) filled = filled.replaceAll(from, to)
      if (filled !== text) writeFileSync(file, filled)
    }
  }
  const remaining = placeholdersIn(destination)
  if (remaining.length > 0) throw new Error(`Placeholders remain:\n${remaining.join('\n')}`)
}
