/** A fenced block of a page: the language after its fence, and its text. */
export interface Block {
  language: string
  text: string
}

/** The fenced blocks of a Markdown page, those within list items included. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(([, indent, language, text]) => ({
    language: language!,
    text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))

/** Whether consecutive lines of a source are these, at any common indentation. */
export function isExcerpt(sample: string, source: string): boolean {
  const wanted = withoutIndent(sample.trimEnd().split('\n'))
  const lines = source.split('\n')
  return lines.some(
    (_, i) => withoutIndent(lines.slice(i, i + wanted.length)).join('\n') === wanted.join('\n'),
  )
}

function withoutIndent(lines: string[]): string[] {
  const depth = Math.min(...lines.filter(Boolean).map((line) => line.length - line.trimStart().length))
  return lines.map((line) => line.slice(depth))
}
