/** A fenced block of a page: the language after its fence, and its text. */
export interface Block {
  language: string
  text: string
}

/** The fenced blocks of a Markdown page. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
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
