/** Headings of Keep a Changelog that this project uses, in order. */
export const KINDS = ['Added', 'Changed', 'Fixed', 'Security'] as const
type Kind = (typeof KINDS)[number]

export interface Note {
  kind: Kind
  /** One paragraph of Markdown, without the bullet. */
  text: string
}

/**
 * Parses a note: `Kind: text`, one paragraph of sentences. Rewrites its links for the changelog. Throws an Error with the name of the file.
 */
export function readNote(name: string, file: string): Note {
  const [, kind, text] = /^(\w+): +([\s\S]*\S)\s*$/.exec(file) ?? []
  if (!KINDS.includes(kind as Kind))
    throw new Error(`${name}: must begin with ${KINDS.map((each) => `"${each}: "`).join(', ')}`)
  if (!/^[A-Z`*]/.test(text!) || !/[.)]$/.test(text!))
    throw new Error(`${name}: the text must be sentences, from a capital letter to a full stop`)
  if (/\n\s*\n/.test(text!)) throw new Error(`${name}: must be one paragraph. Write another note for more.`)
  // The changelog is in the parent folder.
  return { kind: kind as Kind, text: text!.replaceAll(/\s*\n\s*/g, ' ').replaceAll('](../', '](') }
}

/**
 * Adds a dated section for a version to the changelog, with the text of `## VERSION` (if any), of "Unreleased", and the notes. Empties the
 * section "Unreleased". Throws an Error if nothing is unreleased.
 */
export function release(changelog: string, notes: readonly Note[], version: string, day: string): string {
  const found = sectionOf(changelog, 'Unreleased')
  if (!found) throw new Error('CHANGELOG.md has no section "## Unreleased"')
  const begun = sectionOf(changelog, version)
  const sections = new Map<string, string>()
  for (const part of found.body.split(/^### /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n')
    sections.set(heading.trim(), lines.join('\n').trim())
  }
  const written = KINDS.flatMap((kind) => {
    const bullets = notes.filter((note) => note.kind === kind).map(({ text }) => `- ${text}`)
    const text = [sections.get(kind), bullets.join('\n')].filter(Boolean).join('\n\n')
    return text ? [`### ${kind}\n\n${text}\n`] : []
  })
  if (begun) written.unshift(`${begun.body.trim()}\n`)
  if (written.length === 0) throw new Error('There are no unreleased changes.')
  const headings = `## Unreleased\n\n## ${version}, ${day}\n\n${written.join('\n')}`
  const rest = begun ? changelog.replace(begun.whole, '') : changelog
  const [before, after = ''] = rest.split(found.whole)
  return `${before}${headings}${after ? `\n${after}` : ''}`.replace(/\n+$/, '\n')
}

function sectionOf(changelog: string, heading: string): { whole: string; body: string } | null {
  const at = `\n${changelog}`.indexOf(`\n## ${heading}\n`)
  if (at < 0) return null
  const next = changelog.indexOf('\n## ', at + 1)
  const whole = changelog.slice(at, next < 0 ? undefined : next + 1)
  return { whole, body: whole.slice(whole.indexOf('\n') + 1) }
}

export function isAbove(version: string, other: string): boolean {
  const [a, b] = [version, other].map((each) => each.split('.').map(Number)) as [number[], number[]]
  const at = a.findIndex((part, i) => part !== b[i])
  return at >= 0 && a[at]! > b[at]!
}
