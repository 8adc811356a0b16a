import { readConfig } from '@ordbook/db/settings/config.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { Client, signIn } from '@ordbook/sdk/index.ts'
import { typed } from '../cli/src/programs.ts'
import { readCommand } from './command.ts'
import { findRunning } from './running.ts'

/** `npm run demo:token`: signs the first demo wallet in at the running market and prints its session token, for curl. */
readCommand('usage: npm run demo:token   (beside a running `npm start`)', {})
const config = readConfig(process.env)
const running = findRunning(config.dataDir)
if (!running) {
  console.error(`no server runs here: start one with \`${typed('start')}\` in another terminal`)
  process.exit(1)
}
const { first } = demoWallets(config.addressNetwork)
try {
  const session = await signIn(new Client(`${running.url}/api/v1`), first, new URL(running.url).host)
  console.log(session.sessionToken)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
