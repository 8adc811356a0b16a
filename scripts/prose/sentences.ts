import { parseSync, Visitor } from 'oxc-parser'

/** A sentence of prose, its code spans replaced by `X`, and the line on which it begins. */
export interface Sentence {
  text: string
  line: number
}

/** A line of prose; an empty one ends a paragraph. */
type Line = Sentence

/**
 * The sentences of a Markdown document, of the comments of SQL, or of the comments and texts of TypeScript: errors, logs, documents,
 * pages, and in a suite the names of tests.
 */
export function sentencesOf(file: string, text: string): Sentence[] {
  if (file.endsWith('.md')) return split(markdownLines(text))
  if (file.endsWith('.sql')) return split(sqlLines(text))
  const source = parseSync(file, text)
  const starts = lineStarts(text)
  return [
    ...split(commentLines(source, starts)),
    ...(/\.test\.tsx?$/.test(file) ? testNames(text, starts) : split(textLines(source, starts))),
  ]
}

type Parsed = ReturnType<typeof parseSync>

/** Headings, tables and code are no sentences. */
function markdownLines(text: string): Line[] {
  let inCode = false
  let before = ''
  return text.split('\n').map((line, n) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) inCode = !inCode
    const isCode = inCode || isFence || (line.startsWith('    ') && before === '')
    before = line.trim()
    return { text: isCode || /^\s*([#|<]|$)/.test(line) ? '' : asParagraph(before), line: n + 1 }
  })
}

/** Comments of their own lines, and the texts of `comment on … is '…'`. */
function sqlLines(text: string): Line[] {
  return text.split('\n').map((line, n) => {
    const [, comment, stored] = /^\s*(?:--(?! install:) ?(.*)|'((?:[^']|'')+)';)$/.exec(line) ?? []
    return { text: asParagraph((comment ?? stored ?? '').replaceAll("''", "'")), line: n + 1 }
  })
}

/** The lines of comments; comments on neighbouring lines are one text. */
function commentLines({ comments }: Parsed, starts: readonly number[]): Line[] {
  const lines: Line[] = []
  for (const { value, start } of comments) {
    if (/^\s*(biome-ignore|@ts-|#)/.test(value)) continue
    const first = lineAt(starts, start)
    if (lines.length > 0 && lines.at(-1)!.line < first - 1) lines.push({ text: '', line: first })
    for (const [n, line] of value.split('\n').entries())
      lines.push({ text: asParagraph(line.replace(/^\s*\*+/, '').trim()), line: first + n })
  }
  return lines
}

/** The names of tests and their groups. */
function testNames(text: string, starts: readonly number[]): Sentence[] {
  const names = /^[ \t]*(?:(?:it|test|describe)(?:\.\w+)*|\]?\))\(\s*(['"`])(.*?)\1,/gm
  return [...text.matchAll(names)].map((match) => ({
    text: withoutCode(match[2]!),
    line: lineAt(starts, match.index),
  }))
}

/** Texts outside of tagged templates, which hold SQL; a parameter of a template is `X`. */
function textLines({ program }: Parsed, starts: readonly number[]): Line[] {
  const lines: Line[] = []
  const tagged = new Set<number>()
  const add = (value: string, start: number) => {
    const first = lineAt(starts, start)
    for (const [n, line] of value.split('\n').entries())
      lines.push({ text: /^\s*[#|]/.test(line) ? '' : asParagraph(line.trim()), line: first + n })
    lines.push({ text: '', line: first })
  }
  new Visitor({
    TaggedTemplateExpression: ({ quasi }) => void tagged.add(quasi.start),
    Literal: ({ value, start }) => {
      if (typeof value === 'string' && value.includes(' ')) add(value, start)
    },
    JSXText: ({ value, start }) => add(value, start),
    TemplateLiteral: ({ quasis, start }) => {
      if (!tagged.has(start)) add(quasis.map((each) => each.value.cooked ?? '').join('X'), start)
    },
  }).visit(program)
  return lines
}

/** A list item, or the tag of a docstring, begins a paragraph; its mark is taken off. */
function asParagraph(line: string): string {
  const item = line.replace(/^(?:[-*>]|\d+\.) +|^@(?:param \S+|\w+) /, '')
  return item === line ? line : `\0${item}`
}

function split(lines: readonly Line[]): Sentence[] {
  const sentences: Sentence[] = []
  let paragraph: Line[] = []
  const end = () => {
    sentences.push(...sentencesIn(paragraph))
    paragraph = []
  }
  for (const { text, line } of lines) {
    if (text === '' || text.startsWith('\0')) end()
    if (text !== '') paragraph.push({ text: text.replace('\0', ''), line })
  }
  end()
  return sentences
}

/** As the measure of the style counts: a colon or a semicolon ends a sentence too. */
function sentencesIn(paragraph: readonly Line[]): Sentence[] {
  const starts: number[] = []
  let whole = ''
  for (const { text } of paragraph) {
    starts.push(whole.length)
    whole += `${text} `
  }
  const sentences: Sentence[] = []
  for (const match of whole.matchAll(/\S.*?(?:[.:;!?](?=\s)|\s$)/g))
    sentences.push({
      text: withoutCode(match[0].trim()),
      line: paragraph[starts.findLastIndex((start) => start <= match.index)]!.line,
    })
  return sentences
}

const withoutCode = (text: string) => text.replace(/`[^`]*`/g, 'X')

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

const lineAt = (starts: readonly number[], at: number) => starts.findLastIndex((start) => start <= at) + 1
