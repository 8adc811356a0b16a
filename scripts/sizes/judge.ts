import { basename } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** The bounds, in lines. */
const MOST_FILE_LINES = 400
const MOST_FUNCTION_LINES = 80
/** The median file stays below this. */
const MEDIAN_FILE_LINES = 100

export interface Sizes {
  /** A line for each file or function over its bound, and one if the median is. */
  problems: string[]
  functions: number
  longestFunction: number
  longestFile: number
  medianFile: number
}

/** Judges the lengths of sources, by their path in the repository. Throws where a TypeScript source cannot be parsed. */
export function judgeSizes(sources: ReadonlyMap<string, string>): Sizes {
  const files = [...sources].map(([file, text]) => ({ file, lines: linesOf(text) }))
  const functions = [...sources].flatMap(([file, text]) =>
    /\.tsx?$/.test(file) ? functionsOf(file, text) : [],
  )
  const medianFile = medianOf(files.map(({ lines }) => lines))
  const problems = [
    ...files
      .filter(({ lines }) => lines > MOST_FILE_LINES)
      .map(
        ({ file, lines }) => `${file}: ${lines} lines, at most ${MOST_FILE_LINES}: split it by what it does`,
      ),
    ...functions
      .filter(({ lines }) => lines > MOST_FUNCTION_LINES)
      .map(({ at, name, lines }) => `${at}: ${name} has ${lines} lines, at most ${MOST_FUNCTION_LINES}`),
  ]
  if (medianFile >= MEDIAN_FILE_LINES)
    problems.push(`the median file has ${medianFile} lines, expected below ${MEDIAN_FILE_LINES}`)
  return {
    problems,
    functions: functions.length,
    longestFunction: longestOf(functions),
    longestFile: longestOf(files),
    medianFile,
  }
}

const linesOf = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
const longestOf = (measured: readonly { lines: number }[]) =>
  measured.reduce((most, { lines }) => Math.max(most, lines), 0)

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Every function of a source: declarations, methods, expressions and arrows, nested ones too. */
function functionsOf(file: string, text: string): { at: string; name: string; lines: number }[] {
  const { program, errors } = parseSync(basename(file), text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const found: { at: string; name: string; lines: number }[] = []
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  const add = ({ start, end, id }: { start: number; end: number; id: { name: string } | null }) =>
    found.push({
      at: `${file}:${lineOf(start)}`,
      name: id?.name ?? 'a function',
      lines: text.slice(start, end).split('\n').length,
    })
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: ({ start, end }) => add({ start, end, id: null }),
  }).visit(program)
  return found
}
