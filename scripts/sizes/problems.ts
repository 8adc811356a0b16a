import { dirname } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const MAX_LINES = 80
const MAX_FILES = 25

/** Reports folders of more than 25 files, without their subfolders. */
export function fullFolders(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => dirname(file))
  return [...folders].flatMap(([folder, { length }]) =>
    length > MAX_FILES ? [`${folder}: ${length} files, the maximum is ${MAX_FILES}`] : [],
  )
}

/** Reports functions of more than 80 lines. Biome's rule does not count JSX and template literals. */
export function longFunctions(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const problems: string[] = []
  const checkLength = ({ start, end }: { start: number; end: number }) => {
    const lines = text.slice(start, end).split('\n').length
    if (lines > MAX_LINES)
      problems.push(
        `${file}:${text.slice(0, start).split('\n').length}: a function has ${lines} lines, the maximum is ${MAX_LINES}`,
      )
  }
  new Visitor({
    FunctionDeclaration: checkLength,
    FunctionExpression: checkLength,
    ArrowFunctionExpression: checkLength,
  }).visit(program)
  return problems
}
