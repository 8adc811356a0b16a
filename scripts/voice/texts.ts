import { parseSync, Visitor } from 'oxc-parser'

export const KINDS = ['documents', 'comments', 'messages', 'test names'] as const
export type Kind = (typeof KINDS)[number]

/** A line of English in a file, with code and links replaced by X. */
export interface Text {
  kind: Kind
  line: number
  text: string
}

/** Generated files, and files that only list words. */
const SKIPPED =
  /(^|\/)(CHANGELOG|LICENSES?|package-lock)|reference\/(errors|settings|schema|metrics)\.md|wordlist/

export const hasTexts = (file: string): boolean => /\.(md|sql|tsx?)$/.test(file) && !SKIPPED.test(file)

/** Extracts all English of a document, an SQL file or a TypeScript source. */
export function textsOf(file: string, source: string): Text[] {
  const texts = file.endsWith('.md')
    ? documentTexts(source)
    : file.endsWith('.sql')
      ? sqlTexts(source)
      : codeTexts(file, source)
  return texts.map((text) => ({ ...text, text: text.text.replace(/`[^`]*`|https?:\/\/\S+/g, 'X') }))
}

export const wordsIn = (text: string): number => text.match(/[A-Za-z']+/g)?.length ?? 0

function documentTexts(source: string): Text[] {
  let isCode = false
  return source.split('\n').flatMap((text, at) => {
    if (/^\s*```/.test(text)) isCode = !isCode
    return isCode || /^(#| {4}|\s*```)/.test(text)
      ? []
      : [{ kind: 'documents' as const, line: at + 1, text: text.replace(/^[|\s*-]+/, '') }]
  })
}

/** Extracts comments, the texts of `comment on`, and raised errors. */
function sqlTexts(source: string): Text[] {
  const found = [...source.matchAll(/--[^\n]*|'(?:[^']|'')*'/g)]
  return found.flatMap(({ 0: text, index }): Text[] => {
    const line = lineAt(source, index)
    if (text.startsWith('--')) return [{ kind: 'comments', line, text: text.slice(2) }]
    return isProse(text) ? [{ kind: 'messages', line, text }] : []
  })
}

function codeTexts(file: string, source: string): Text[] {
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const texts: Text[] = comments.flatMap(({ start, value }) =>
    value.split('\n').map((text, row) => ({
      kind: 'comments' as const,
      line: lineAt(source, start) + row,
      text: text.replace(/^\s*\*+ ?/, ''),
    })),
  )
  const testNames = new Set<number>()
  const skipped = new Set<number>()
  const add = (start: number, text: string) => {
    if (skipped.has(start)) return
    const isName = testNames.has(start)
    if (isName || isProse(text))
      texts.push({ kind: isName ? 'test names' : 'messages', line: lineAt(source, start), text })
  }
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (first && /^(it|test|describe)\b/.test(source.slice(callee.start, callee.end)))
        testNames.add(first.start)
    },
    TaggedTemplateExpression({ tag, quasi }) {
      if (/^(sql|tx|from|reader)\b/.test(source.slice(tag.start, tag.end))) skipped.add(quasi.start)
    },
    JSXAttribute({ name, value }) {
      if (value && name.type === 'JSXIdentifier' && /^(class|className|d|style)$/.test(name.name))
        skipped.add(value.start)
    },
    ImportDeclaration({ source: from }) {
      skipped.add(from.start)
    },
    Literal({ start, value }) {
      if (typeof value === 'string') add(start, value)
    },
    TemplateLiteral({ start, quasis }) {
      add(start, quasis.map(({ value }) => value.cooked).join('X'))
    },
    JSXText({ start, value }) {
      add(start, value)
    },
  }).visit(program)
  return texts
}

const isProse = (text: string): boolean =>
  (text.match(/[A-Za-z]{2,}/g)?.length ?? 0) >= 3 &&
  / [a-z]+ /.test(text) &&
  (text.match(/[A-Za-z ]/g)?.length ?? 0) > 0.8 * text.length &&
  !/^\s*(select|insert|update|delete|with|from|where|create)\b/.test(text)

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length
