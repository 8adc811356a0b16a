import { posix } from 'node:path'

/**
 * Returns the problems of links as `file:line: problem`. Links must point to existing files and headings. Pages of `docs/` mentioned in
 * sources must exist. Each page of `docs/` must be reachable from `docs/README.md`.
 * @param documents Markdown files by path
 * @param files every path of the repository
 * @param sources other text files by path
 */
export function checkLinks(
  documents: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
  sources: ReadonlyMap<string, string>,
): string[] {
  const problems: string[] = []
  const links = new Map<string, string[]>()
  for (const [path, text] of documents)
    for (const { target, line } of linksOf(text)) {
      const [file, fragment] = target.split('#') as [string, string?]
      const found = file ? posix.join(posix.dirname(path), decodeURI(file)).replace(/\/$/, '') : path
      if (!files.has(found)) problems.push(`${path}:${line}: ${target} does not exist`)
      else if (fragment && !anchorsOf(documents.get(found) ?? '').has(fragment))
        problems.push(`${path}:${line}: ${found} has no heading #${fragment}`)
      links.set(path, [...(links.get(path) ?? []), found])
    }
  for (const [path, text] of [...documents, ...sources])
    for (const { name, line } of mentionsOf(text))
      if (!files.has(name)) problems.push(`${path}:${line}: ${name} does not exist`)
  const reached = new Set<string>()
  const visit = (path: string) => {
    if (reached.has(path)) return
    reached.add(path)
    for (const next of links.get(path) ?? []) if (next.startsWith('docs/')) visit(next)
  }
  visit('docs/README.md')
  for (const path of documents.keys())
    if (path.startsWith('docs/') && !reached.has(path))
      problems.push(`${path}: no link leads here from docs/README.md`)
  return problems
}

function proseOf(text: string): string[] {
  let fenced = false
  return text.split('\n').map((line) => {
    if (/^\s*```/.test(line)) fenced = !fenced
    return fenced ? '' : line.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length))
  })
}

const linksOf = (text: string) =>
  proseOf(text).flatMap((line, i) =>
    [...line.matchAll(/\]\(([^()\s]+)\)/g)]
      .map(([, target]) => ({ target: target!, line: i + 1 }))
      .filter(({ target }) => !/^[a-z]+:/.test(target)),
  )

const mentionsOf = (text: string) =>
  text.split('\n').flatMap((line, i) =>
    [...line.matchAll(/(?<![\w./-])(?<!\]\()docs\/[\w/-]+\.md\b/g)].map(([name]) => ({
      name,
      line: i + 1,
    })),
  )

/** Returns the anchors of a Markdown page: headings in lower case with hyphens for spaces, and each `<a id>`. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    let unique = anchor
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`
    anchors.add(unique)
  }
  for (const [, id] of withoutFences(text).matchAll(/<a id="([\w-]+)"><\/a>/g)) anchors.add(id!)
  return anchors
}

const withoutFences = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')
