import { readConfig } from '@ordbook/db/settings/config.ts'
import { typed } from '../cli/src/programs.ts'
import { readCommand } from './command.ts'
import { findRunning } from './running.ts'

/** `npm run demo:node`: prints the address of the demo's node, with user and password, for programs that want a node of their own. */
readCommand('usage: npm run demo:node   (beside a running `npm start`)', {})
const running = findRunning(readConfig(process.env).dataDir)
if (!running) {
  console.error(`no server runs here: start one with \`${typed('start')}\` in another terminal`)
  process.exit(1)
}
console.log(running.rpcUrl)
