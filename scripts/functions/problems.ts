import { parseSync, Visitor } from 'oxc-parser'

const MAX_LINES = 80

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
