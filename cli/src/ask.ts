import { createInterface } from 'node:readline/promises'
import { EXIT, Failure } from './failure.ts'
import { printable } from './table.ts'

/** Prompts the user to confirm each doubt, unless `isSure`. Throws Failure if the user declines, or without a terminal. */
export async function confirm(doubts: readonly string[], isSure: boolean): Promise<void> {
  if (doubts.length === 0 || isSure) return
  const question = printable(doubts.join('; '))
  if (!process.stdin.isTTY)
    throw new Failure('price-unusual', `${question}. Add --yes to sign anyway`, EXIT.unconfirmed)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question}. Continue? [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new Failure('declined', 'declined by the user; nothing was signed', EXIT.unconfirmed)
  } finally {
    terminal.close()
  }
}
