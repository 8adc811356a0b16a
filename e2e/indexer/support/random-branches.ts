import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { type Block, encodeBlock, genesisBlock, mineBlock } from '@ordbook/devnet/block.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { Crowd, Dice } from './random-chain.ts'
import { type JsonBlock, recompute, type SlowIndex } from './slow-index.ts'

/** On regtest ord expects mainnet's subsidies, so stay below the first halving. */
const LAST_HEIGHT = 149
const HALVING = 150
const FIRST_SPEND = 101
const GENESIS_TIME = 1_296_688_602
const START_TIME = 1_700_000_000
const OP_RETURN = Uint8Array.of(0x6a, 0x01, 0x07)

interface Mined {
  block: Block
  json: JsonBlock
}

/** A chain with orphaned branches. The same seed makes the same blocks. */
export interface Branches {
  /** Blocks in hex, in the order in which a node receives them. */
  blocks: string[]
  /** The best chain, with the genesis block. */
  chain: JsonBlock[]
  reorgs: number[]
}

/** Generates blocks up to LAST_HEIGHT with about `actions` actions of a hostile crowd each. Reorgs are 1 to 6 blocks deep. */
export function growBranches(seed: number, actions: number): Branches {
  const dice = new Dice(seed)
  const miner = new Miner(dice, actions)
  const blocks: string[] = []
  const reorgs: number[] = []
  let line: Mined[] = [miner.genesis]
  const extend = (on: Mined[], transactions?: readonly Tx[]) => {
    const mined = miner.mine(on, transactions)
    blocks.push(bytesToHex(encodeBlock(mined.block)))
    return [...on, mined]
  }
  while (line.length <= LAST_HEIGHT) {
    const tip = line.length - 1
    if (tip <= FIRST_SPEND + 2 || !dice.chance(15)) {
      line = extend(line)
      continue
    }
    const depth = 1 + dice.roll(Math.min(6, tip - FIRST_SPEND))
    const orphaned = line.slice(-depth)
    let branch = line.slice(0, -depth)
    // Some branches confirm the same transactions first.
    const same = dice.chance(40) ? dice.roll(depth + 1) : 0
    for (let n = 0; n <= depth; n++)
      branch = extend(branch, n < same ? orphaned[n]!.block.transactions.slice(1) : undefined)
    line = branch
    reorgs.push(depth)
  }
  return { blocks, chain: line.map(({ json }) => json), reorgs }
}

class Miner {
  readonly genesis: Mined
  private readonly dice: Dice
  private readonly actions: number
  private readonly crowd: Crowd

  constructor(dice: Dice, actions: number) {
    this.dice = dice
    this.actions = actions
    this.crowd = new Crowd(dice, FAUCET_KEY, { isHostile: true })
    const block = genesisBlock()
    this.genesis = { block, json: jsonOf(block) }
  }

  mine(line: readonly Mined[], given?: readonly Tx[]): Mined {
    const { dice, crowd } = this
    const height = line.length
    const index = recompute(line.map(({ json }) => json))
    const transactions =
      given ?? (height < FIRST_SPEND ? [] : crowd.block(index, height, dice.roll(2 * this.actions)))
    const outputs = this.coinbaseOf(subsidyAt(height, HALVING), feesOf(transactions, index))
    const block = mineBlock({
      previous: line.at(-1)!.block.hash,
      height,
      time: this.timeAfter(line),
      rewardSats: outputs[0]!.valueSats,
      script: outputs[0]!.script,
      others: outputs.slice(1),
      transactions,
    })
    return { block, json: jsonOf(block) }
  }

  /** Times may be earlier than the previous block's, but not than the median of 11. */
  private timeAfter(line: readonly Mined[]): number {
    const times = line.slice(-11).map(({ block }) => block.header.time)
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
    const last = times.at(-1) === GENESIS_TIME ? START_TIME : times.at(-1)!
    return this.dice.chance(25) ? Math.max(median + 1, START_TIME) : last + 1 + this.dice.roll(1200)
  }

  /** Most coinbases claim all fees. Others lose some, or all and part of the subsidy. */
  private coinbaseOf(subsidySats: number, feeSats: number): TxOutput[] {
    const { dice } = this
    const kind = dice.roll(10)
    const claimed =
      kind < 6
        ? subsidySats + feeSats
        : kind < 8
          ? subsidySats + dice.roll(feeSats + 1)
          : subsidySats - dice.roll(3) * dice.roll(1_000_000)
    const first = dice.chance(70) ? claimed : dice.roll(claimed + 1)
    const others = [{ valueSats: claimed - first, script: dice.chance(40) ? OP_RETURN : this.crowd.anyone() }]
    return [{ valueSats: first, script: this.crowd.anyone() }, ...(first < claimed ? others : [])]
  }
}

function feesOf(transactions: readonly Tx[], { coins }: SlowIndex): number {
  const values = new Map([...coins].map(([key, coin]) => [key, coin.valueSats]))
  let fees = 0
  for (const tx of transactions) {
    const txid = txidOf(tx)
    for (const { txid, vout } of tx.inputs) fees += values.get(`${txid}:${vout}`)!
    fees -= sumSats(tx.outputs.map((output) => output.valueSats))
    for (const [vout, output] of tx.outputs.entries()) values.set(`${txid}:${vout}`, output.valueSats)
  }
  return fees
}

function jsonOf({ hash, height, header, transactions }: Block): JsonBlock {
  return {
    hash,
    height,
    previousblockhash: header.previous,
    tx: transactions.map((tx) => ({
      txid: txidOf(tx),
      vin: tx.inputs.map(({ txid, vout, witness }) => ({ txid, vout, txinwitness: witness.map(bytesToHex) })),
      vout: tx.outputs.map(({ valueSats, script }) => ({
        value: valueSats / 1e8,
        scriptPubKey: { hex: bytesToHex(script) },
      })),
    })),
  }
}
