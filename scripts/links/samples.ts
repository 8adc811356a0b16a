/** A fenced block of a page: its language and text. */
export interface Block {
  language: string
  text: string
}

/** Returns the fenced blocks of a Markdown page, including those in list items. */
export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(([, indent, language, text]) => ({
    language: language!,
    text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))

/** Whether a source contains these lines consecutively, at any common indentation. */
export function isExcerpt(sample: string, source: string): boolean {
  const sampleLines = withoutIndent(sample.trimEnd().split('\n'))
  const lines = source.split('\n')
  return lines.some(
    (_, i) => withoutIndent(lines.slice(i, i + sampleLines.length)).join('\n') === sampleLines.join('\n'),
  )
}

function withoutIndent(lines: string[]): string[] {
  const depth = Math.min(...lines.filter(Boolean).map((line) => line.length - line.trimStart().length))
  return lines.map((line) => line.slice(depth))
}
