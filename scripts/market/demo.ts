import { type Config, readConfig } from '@ordbook/db/settings/config.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { Client, signIn } from '@ordbook/sdk/index.ts'
import { typed } from '../../cli/src/programs.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { demoTrade } from './demo-trade.ts'
import { findRunning, type Running } from './running.ts'

/** `ordbook market demo COMMAND`: commands for the demo market on this machine. */
const USAGE = `usage: ordbook market demo COMMAND   (while \`ordbook market start\` runs)

  trade   Let two wallets trade an inscription over HTTP
  token   Sign in the first demo wallet, and print its session token, for curl
  node    Print the URL of the demo's node, with user name and password`

const commands: Readonly<Record<string, (running: Running, config: Config) => Promise<void>>> = {
  trade: demoTrade,
  async token({ url }, { addressNetwork }) {
    const { first } = demoWallets(addressNetwork)
    const session = await signIn(new Client(`${url}/api/v1`), first, new URL(url).host)
    console.log(session.sessionToken)
  },
  async node({ rpcUrl }) {
    console.log(rpcUrl)
  },
}

const [name, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
if (!command || more.length > 0)
  exitWithUsage(USAGE, name === undefined ? 'a command is missing' : `${name}: unknown`)
try {
  const config = readConfig(process.env)
  const running = findRunning(config.dataDir)
  if (!running)
    throw new Error(`No server is running. Start one with \`${typed('start')}\` in another terminal`)
  await command(running, config)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
