import { spawnSync } from 'node:child_process'
import { MARKET_COMMANDS } from '../../cli/src/operator.ts'
import { fileOf, PROGRAMS, type Program } from '../../cli/src/programs.ts'

/** Returns the help of every program of `ordbook market` that has arguments. Throws if a program prints no help. */
export function programHelps(): ReadonlyMap<Program, string> {
  const programs = new Set(Object.values(MARKET_COMMANDS).flatMap((runs) => runs.map(([program]) => program)))
  // The others have only settings, and would start.
  const withArguments = [...programs].filter((program) => PROGRAMS[program].startsWith('scripts/'))
  return new Map(
    withArguments.map((program) => {
      const { status, stdout } = spawnSync(process.execPath, [fileOf(program), '--help'], {
        encoding: 'utf8',
        timeout: 120_000,
      })
      if (status !== 0 || !stdout.startsWith('usage: ')) throw new Error(`${program} --help failed`)
      return [program, stdout.trim()]
    }),
  )
}

/** Returns the long options that a text names. */
const optionsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)

/**
 * Returns the options of an operator command; none for a program without arguments. If a program has several commands, its help has a
 * paragraph for each.
 */
export function marketOptions(command: string, helps: ReadonlyMap<Program, string>): string[] {
  const options = MARKET_COMMANDS[command]!.flatMap(([program, name]) => {
    const help = helps.get(program)
    if (help === undefined) return []
    const own = help.split(/\n(?= {2}\S)/).filter((each) => !name || each.startsWith(`  ${name} `))
    return [...own.flatMap(optionsIn), '--help']
  })
  return [...new Set(options)]
}
