import { type ParseArgsConfig, parseArgs } from 'node:util'

type Parsed<C extends ParseArgsConfig> = ReturnType<typeof parseArgs<C>>

/** Parses the arguments of a command. `--help` prints `usage`. Unknown flags and unexpected arguments exit with code 1. */
export function readCommand<const C extends ParseArgsConfig>(usage: string, config: C): Parsed<C> {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    return exitWithUsage(usage, (error as Error).message)
  }
}

export function exitWithUsage(usage: string, reason: string): never {
  console.error(`${reason}\n\n${usage}`)
  process.exit(1)
}

/** Parses an integer within bounds. Throws an error with the name of the argument. */
export function integerIn(text: string | undefined, name: string, least: number, most: number): number {
  const number = Number(text)
  if (text === undefined || !/^\d+$/.test(text) || number < least || number > most)
    throw new Error(`${name}: found ${text ?? 'nothing'}, expected a whole number from ${least} to ${most}`)
  return number
}
