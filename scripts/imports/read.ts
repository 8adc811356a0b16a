import { parseSync, Visitor } from 'oxc-parser'

interface Import {
  /** As written in the source: a path with `./`, or a package. */
  target: string
  isType: boolean
  line: number
  /** Start and end offset of the quoted target. */
  span: readonly [start: number, end: number]
}

export interface Source {
  imports: Import[]
  /** Lines with a tagged template or a call of `unsafe`, which are SQL in the server. */
  sqlLines: number[]
  computedLines: number[]
}

/**
 * Parses all imports of a TypeScript source: `import`, `export … from`, `import()` and the type `import('…')`. Throws if the source is
 * malformed.
 */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  const found: Source = { imports: [], sqlLines: [], computedLines: [] }
  const add = (source: { value: string; start: number; end: number }, isType: boolean, at: number) =>
    found.imports.push({ target: source.value, isType, line: lineOf(at), span: [source.start, source.end] })
  new Visitor({
    ImportDeclaration: ({ source, importKind, specifiers, start }) =>
      add(
        source,
        importKind === 'type' ||
          (specifiers.length > 0 &&
            specifiers.every(
              (specifier) => specifier.type === 'ImportSpecifier' && specifier.importKind === 'type',
            )),
        start,
      ),
    ExportNamedDeclaration: ({ source, exportKind, start }) =>
      source && add(source, exportKind === 'type', start),
    ExportAllDeclaration: ({ source, exportKind, start }) => add(source, exportKind === 'type', start),
    ImportExpression: ({ source, start }) =>
      source.type === 'Literal' && typeof source.value === 'string'
        ? add({ ...source, value: source.value }, false, start)
        : found.computedLines.push(lineOf(start)),
    TSImportType: ({ source, start }) => add(source, true, start),
    TaggedTemplateExpression: ({ tag, start }) => {
      const isRaw = tag.type === 'MemberExpression' && text.slice(tag.start, tag.end) === 'String.raw'
      if (!isRaw) found.sqlLines.push(lineOf(start))
    },
    CallExpression: ({ callee, start }) => {
      const name =
        callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
          ? callee.property.name
          : ''
      if (name === 'unsafe') found.sqlLines.push(lineOf(start))
    },
  }).visit(program)
  return found
}
