import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, concatBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildRevealScript, type NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { sha256, signSchnorr, taprootOutputKey, tweakPrivateKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { SIGHASH, tapLeafHash, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { SEQUENCE_RBF, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'
import type { JsonBlock, SlowCoin, SlowIndex } from './slow-index.ts'

/** Seeded random numbers (mulberry32). */
export class Dice {
  private state: number
  constructor(seed: number) {
    this.state = seed
  }
  roll(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * sides)
  }
  pick<T>(all: readonly T[]): T {
    return all[this.roll(all.length)]!
  }
  chance(percent: number): boolean {
    return this.roll(100) < percent
  }
}

export class JsonChain {
  private readonly regtest: Regtest
  private readonly blocks = new Map<string, JsonBlock>()
  constructor(regtest: Regtest) {
    this.regtest = regtest
  }
  find(hash: string): JsonBlock | undefined {
    return this.blocks.get(hash)
  }

  async read(): Promise<JsonBlock[]> {
    const line: JsonBlock[] = []
    let hash: string | undefined = await this.regtest.call<string>('getbestblockhash')
    while (hash) {
      let block: JsonBlock | undefined = this.blocks.get(hash)
      if (!block) {
        block = await this.regtest.call<JsonBlock>('getblock', hash, 3)
        this.blocks.set(hash, block)
      }
      line.push(block)
      hash = block.previousblockhash
    }
    return line.reverse()
  }
}

/** A coin with its private key, and a leaf if it is spent by script path. */
interface Own extends Outpoint, TxOutput {
  key: Uint8Array
  leaf?: Uint8Array
}

const OP_RETURN = Uint8Array.of(0x6a, 0x02, 0xbe, 0xef)
const LATER_WITNESSES = [
  Uint8Array.of(0x51, 0x02, 0x4e, 0x73),
  Uint8Array.of(0x52, 0x20, ...new Uint8Array(32).fill(9)),
]
const ORD = Uint8Array.of(0x00, 0x63, 3, 0x6f, 0x72, 0x64)

/** Users who make random valid transactions. */
export class Crowd {
  readonly keys: Uint8Array[]
  private readonly dice: Dice
  private readonly scripts: Map<string, Uint8Array>
  private salt = 0

  constructor(dice: Dice, faucetKey: Uint8Array) {
    this.dice = dice
    this.keys = [0, 1, 2, 3, 4].map((n) => sha256(new TextEncoder().encode(`crowd ${n}`)))
    this.scripts = new Map([...this.keys, faucetKey].map((key) => [bytesToHex(taprootScriptOf(key)), key]))
  }

  /** Returns the coins that can be spent in the next block. */
  coinsOf({ coins }: SlowIndex, height: number): Own[] {
    return [...coins.values()].flatMap((coin: SlowCoin) => {
      const key = this.scripts.get(coin.script)
      const ripe = !coin.coinbase || height - coin.height >= 100
      const { txid, vout, valueSats } = coin
      return key && ripe ? [{ txid, vout, valueSats, key, script: hexToBytes(coin.script) }] : []
    })
  }

  private anyone(): Uint8Array {
    return taprootScriptOf(this.dice.pick(this.keys))
  }

  /** Generates a block's transactions, which may spend each other's outputs. */
  block(index: SlowIndex, height: number): Tx[] {
    const { dice } = this
    const free = this.coinsOf(index, height)
    const inscribed = new Set(
      index.inscriptions.map(({ satpoint }) => satpoint.slice(0, satpoint.lastIndexOf(':'))),
    )
    const transactions: Tx[] = []
    const add = (tx: Tx, outputs: Own[] = this.own(tx)) => {
      transactions.push(tx)
      free.push(...outputs)
    }
    /** Removes coins from the pool, often including one with an inscription. */
    const take = (count: number): Own[] => {
      const takenCoins: Own[] = []
      for (let n = 0; n < count && free.length > 0; n++) {
        const rich = free.filter((coin) => inscribed.has(`${coin.txid}:${coin.vout}`))
        const chosen = rich.length > 0 && dice.chance(50) ? dice.pick(rich) : dice.pick(free)
        free.splice(free.indexOf(chosen), 1)
        takenCoins.push(chosen)
      }
      return takenCoins
    }
    for (let n = 1 + dice.roll(4); n > 0 && free.length > 0; n--) {
      const kind = dice.roll(10)
      if (kind < 4) for (const tx of this.inscribe(take(1 + dice.roll(3)))) add(tx)
      else {
        const inputs = take(1 + dice.roll(3))
        const total = inputs.reduce((sum, coin) => sum + coin.valueSats, 0)
        add(this.sign(inputs, this.outputsOf(total, kind === 9 ? 40 : kind === 8 ? 5 : 1)))
      }
    }
    return transactions
  }

  /** Splits a total into random outputs, with fees of about `feePercent`. */
  private outputsOf(total: number, feePercent: number): TxOutput[] {
    const { dice } = this
    let remainingSats =
      total - Math.floor((total * dice.roll(feePercent + 1)) / 100) - dice.roll(2) * Math.min(total, 500)
    const outputs: TxOutput[] = []
    for (let n = 1 + dice.roll(4); n > 1 && remainingSats > 2000; n--) {
      const valueSats = dice.chance(30) ? 546 + dice.roll(1000) : 1 + dice.roll(remainingSats - 1)
      const script = dice.chance(8) ? OP_RETURN : dice.chance(4) ? dice.pick(LATER_WITNESSES) : this.anyone()
      outputs.push({ valueSats: Math.min(valueSats, remainingSats), script })
      remainingSats -= outputs.at(-1)!.valueSats
    }
    if (dice.chance(5)) outputs.push({ valueSats: 0, script: OP_RETURN })
    return [...outputs, { valueSats: Math.max(remainingSats, 0), script: this.anyone() }]
  }

  /** Builds commits and a reveal with unusual envelopes, inputs and reinscriptions. */
  private inscribe(coins: Own[]): Tx[] {
    const { dice } = this
    const transactions: Tx[] = []
    const commits: Own[] = []
    const parents: string[] = []
    for (const coin of coins) {
      if (commits.length > 0 && dice.chance(50)) {
        commits.push(coin)
        continue
      }
      const key = dice.pick(this.keys)
      const leaf = concatBytes(
        Uint8Array.of(0x20),
        xOnlyKeyOf(key),
        Uint8Array.of(0xac),
        this.envelopes(parents),
      )
      const { outputKey } = taprootOutputKey(xOnlyKeyOf(key), tapLeafHash(leaf))
      const script = p2trScript(outputKey)
      const valueSats = coin.valueSats > 20_000 && dice.chance(50) ? 10_000 : coin.valueSats
      const outputs = [{ valueSats, script }]
      if (valueSats < coin.valueSats) {
        const change = { valueSats: coin.valueSats - valueSats, script: this.anyone() }
        dice.chance(50) ? outputs.push(change) : outputs.unshift(change)
      }
      const commit = this.sign([coin], outputs)
      transactions.push(commit)
      const vout = outputs.findIndex((output) => output.script === script)
      commits.push({ txid: txidOf(commit), vout, valueSats, script, key, leaf })
      if (dice.chance(30)) parents.push(`${txidOf(commit)}i0`)
    }
    if (commits.length === 0) return []
    const total = commits.reduce((sum, coin) => sum + coin.valueSats, 0)
    return [...transactions, this.sign(commits, this.outputsOf(total, dice.chance(10) ? 100 : 1))]
  }

  private envelopes(parents: readonly string[]): Uint8Array {
    const { dice } = this
    const parts: Uint8Array[] = []
    for (let n = 1 + (dice.chance(25) ? dice.roll(3) : 0); n > 0; n--) {
      const odd = dice.roll(12)
      const text = new TextEncoder().encode(`random ${this.salt++}`)
      const body = Uint8Array.of(0, text.length, ...text)
      if (odd === 0) parts.push(ORD, Uint8Array.of(1, 1, 0x52), body, Uint8Array.of(0x68))
      else if (odd === 1) parts.push(Uint8Array.of(0), ORD, body, Uint8Array.of(0x68, 0x75))
      else if (odd === 2) parts.push(ORD, Uint8Array.of(1, 1, 0x68))
      else if (odd === 3) parts.push(ORD, Uint8Array.of(1, 22, 1, 9), body, Uint8Array.of(0x68))
      else if (odd === 4) parts.push(ORD, Uint8Array.of(1, 1, 1, 9, 1, 1, 1, 8), body, Uint8Array.of(0x68))
      else {
        const inscription: NewInscription = { contentType: 'text/plain', body: text }
        if (odd === 5) inscription.pointer = dice.roll(30_000)
        if (odd === 6) inscription.parents = [...parents, `${'ab'.repeat(32)}i0`]
        if (odd === 7) inscription.delegate = `${'cd'.repeat(32)}i${dice.roll(3)}`
        if (odd === 8) inscription.metadata = new Uint8Array(700)
        // Skip the key check of the reveal script.
        parts.push(buildRevealScript(new Uint8Array(32), [inscription]).subarray(34))
      }
    }
    return concatBytes(...parts)
  }

  private own(tx: Tx): Own[] {
    const txid = txidOf(tx)
    return tx.outputs.flatMap((output, vout) => {
      const key = this.scripts.get(bytesToHex(output.script))
      return key && output.valueSats > 0 ? [{ txid, vout, ...output, key }] : []
    })
  }

  private sign(coins: readonly Own[], outputs: TxOutput[]): Tx {
    const tx: Tx = {
      version: 2,
      locktime: 0,
      inputs: coins.map(({ txid, vout }) => ({
        txid,
        vout,
        scriptSig: new Uint8Array(),
        sequence: SEQUENCE_RBF,
        witness: [],
      })),
      outputs,
    }
    for (const [index, { key, leaf }] of coins.entries()) {
      if (!leaf) {
        const hash = taprootSighash(tx, index, coins, SIGHASH.DEFAULT)
        tx.inputs[index]!.witness = [signSchnorr(hash, tweakPrivateKey(key))]
        continue
      }
      const leafHash = tapLeafHash(leaf)
      const hash = taprootSighash(tx, index, coins, SIGHASH.DEFAULT, { leafHash })
      const { odd } = taprootOutputKey(xOnlyKeyOf(key), leafHash)
      const control = concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), xOnlyKeyOf(key))
      tx.inputs[index]!.witness = [signSchnorr(hash, key), leaf, control]
    }
    return tx
  }
}
