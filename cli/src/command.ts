import { type ParseArgsConfig, parseArgs } from 'node:util'
import packageOfCommand from '../package.json' with { type: 'json' }
import { readConfig } from './config.ts'
import { describeFailure, UsageError } from './failure.ts'
import { runMarket } from './operator.ts'
import { Output } from './output.ts'
import { typed } from './programs.ts'
import { columns } from './table.ts'
import { DryRun, TradeSession } from './trade-session.ts'
import { Arguments, type Verb } from './verb.ts'
import { VERBS } from './verbs.ts'

const COMMON = {
  market: { type: 'string' },
  node: { type: 'string' },
  ord: { type: 'string' },
  json: { type: 'boolean' },
  wide: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options']

export const COMMON_HELP = `  --market URL         Use this market instead of the configured one
  --node URL           Use this node instead of the configured one
  --ord URL            Use this ord server or ordbook of yours instead of the configured one
  --json               Print one JSON document per result on stdout, and everything else on stderr
  --wide               Show full ids and names in tables, which otherwise fit the terminal or 80 columns
  --dry-run            Show what would be signed, and stop
  --yes                Sign even if the price looks like a mistake`

/** Runs one command line and returns the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  const isJson = rest.includes('--json')
  const out = new Output(isJson, rest.includes('--wide'))
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      process.stdout.write(`${help()}\n`)
      return name === undefined ? 2 : 0
    }
    if (name === '--version' || name === '-V') {
      process.stdout.write(`ordbook ${packageOfCommand.version}\n`)
      return 0
    }
    if (name === 'market') return await runMarket(rest)
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
    if (!verb)
      throw new UsageError(`unknown verb ${name}, expected one of ${Object.keys(VERBS).join(', ')}, market`)
    await runVerb(name, verb, rest, out)
    return 0
  } catch (error) {
    if (error instanceof DryRun) {
      out.result(error.document, [...error.text, 'nothing was signed'])
      return 0
    }
    const { document, exit } = describeFailure(error)
    if (isJson) out.result({ error: document }, '')
    const text = `ordbook: ${document.message} (${document.code})`
    // A usage error contains no text of the market.
    out.note(error instanceof UsageError ? text.split('\n') : text)
    return exit
  }
}

async function runVerb(name: string, verb: Verb, args: readonly string[], out: Output): Promise<void> {
  const { values, positionals } = readArguments(verb, args)
  if (values.help) {
    process.stdout.write(`${helpOf(name, verb)}\n\n${COMMON_HELP}\n`)
    return
  }
  const { market, node, ord } = values as Record<string, string | undefined>
  const desk = new TradeSession(() => readConfig({ market, node, ord }), out, {
    isDryRun: values['dry-run'] === true,
    isSure: values.yes === true,
  })
  const result = await verb.run(desk, new Arguments(positionals, values))
  if (result) out.result(result.document, result.text)
}

function readArguments(verb: Verb, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionsOf(verb), allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Returns the options of a verb, with the common options. */
export const optionsOf = (verb: Verb) => ({ ...verb.options, ...COMMON })

/** Returns the help of a verb, without the options that all verbs have. */
export const helpOf = (name: string, { usage, summary, details }: Verb): string =>
  [`usage: ordbook ${name} ${usage}`.trimEnd(), summary, details?.trimEnd()].filter(Boolean).join('\n')

const help = () => `usage: ordbook VERB ARGUMENTS   (ordbook VERB --help shows details)
       ordbook --version

To try a demo market on this machine, type ${typed('start')}

${columns([
  ...Object.entries(VERBS).map(([name, { summary }]) => [`  ${name}`, summary] as const),
  ['  market', 'Run your own market: ordbook market --help'],
]).join('\n')}

${COMMON_HELP}`
