import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { buildInscribe, buildPayment, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { satsOfBtc, sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'

const FEE_RATE = 2

/** Published private key that receives the mined coins. */
export const FAUCET_KEY = sha256(new TextEncoder().encode('ordbook devnet faucet'))

export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Sends a JSON-RPC call. `url` includes user and password. */
export async function callRpc<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const { username, password, origin, pathname } = new URL(url)
  const response = await fetch(origin + pathname, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    body: JSON.stringify({ jsonrpc: '1.0', id: 0, method, params }),
  })
  if (response.status === 401) throw new Error('The node rejected the credentials.')
  const { result, error } = (await response.json()) as {
    result: T
    error: { code: number; message: string } | null
  }
  if (error) throw new RpcError(error.code, error.message)
  return result
}

/** Mines, pays and inscribes on the devnet or bitcoind. Signs with the faucet's key, so the node needs no wallet. */
export class Regtest {
  readonly url: string
  private readonly script = taprootScriptOf(FAUCET_KEY)
  private readonly address = addressOfScript(taprootScriptOf(FAUCET_KEY), 'regtest')!
  private readonly used = new Set<string>()
  private scanning: Promise<unknown> = Promise.resolve()

  constructor(url: string) {
    this.url = url
  }

  call<T>(method: string, ...params: unknown[]): Promise<T> {
    return callRpc(this.url, method, ...params)
  }

  mine(count = 1): Promise<string[]> {
    return this.call('generatetoaddress', count, this.address)
  }

  async coinsOf(script: Uint8Array): Promise<Coin[]> {
    const found = await this.scan(script)
    return found.unspents
      .filter((unspent: any) => !unspent.coinbase || found.height - unspent.height >= 100)
      .map((unspent: any) => ({
        txid: unspent.txid,
        vout: unspent.vout,
        valueSats: satsOfBtc(unspent.amount),
        script,
      }))
  }

  /** A node runs one scan at a time, so concurrent callers retry. */
  private scan(script: Uint8Array): Promise<any> {
    const run = async () => {
      for (let attempt = 0; ; attempt++)
        try {
          return await this.call<any>('scantxoutset', 'start', [`raw(${bytesToHex(script)})`])
        } catch (error) {
          if (!/scan already in progress/i.test(String(error)) || attempt >= 200) throw error
          await new Promise((done) => setTimeout(done, 50))
        }
    }
    this.scanning = this.scanning.then(run, run)
    return this.scanning
  }

  /** Pays from the faucet without mining. The change is output 0. */
  async pay(outputs: TxOutput[]): Promise<Tx> {
    const coins: Coin[] = []
    const requiredSats = sumSats(outputs.map((output) => output.valueSats)) + 200_000
    for (const coin of (await this.coinsOf(this.script)).toSorted((a, b) => b.valueSats - a.valueSats)) {
      const key = `${coin.txid}:${coin.vout}`
      if (this.used.has(key) || (await this.call('gettxout', coin.txid, coin.vout, true)) === null) continue
      coins.push(coin)
      this.used.add(key)
      if (sumSats(coins.map((coin) => coin.valueSats)) >= requiredSats) break
    }
    if (coins.length === 0) throw new Error('The faucet is empty. Mine 101 blocks.')
    // Keep the first sat of a coinbase in the change, because it is rare.
    const tx = buildPayment(coins, outputs, {
      privateKey: FAUCET_KEY,
      feeRateSatVb: FEE_RATE,
      changeFirst: true,
    })
    await this.call('sendrawtransaction', hexOfTransaction(tx))
    return tx
  }

  /** Pays from the faucet and mines a block. The change is output 0. */
  async payNow(outputs: TxOutput[]): Promise<Tx> {
    const tx = await this.pay(outputs)
    await this.mine()
    return tx
  }

  /** Pays a script and mines a block. Returns the coin. */
  async fund(script: Uint8Array, valueSats: number): Promise<Coin> {
    const tx = await this.payNow([{ valueSats, script }])
    return { txid: txidOf(tx), vout: 1, valueSats, script }
  }

  /**
   * Creates inscriptions in two blocks, each in a separate output. Returns their ids in order. Mines reveals directly, because some nodes
   * do not relay them. If `pay` returns the payment of an interrupted call, only missing inscriptions are mined.
   */
  async inscribe(
    items: readonly { inscription: NewInscription; owner: Uint8Array; postageSats: number }[],
    pay = (outputs: TxOutput[]) => this.payNow(outputs),
  ): Promise<string[]> {
    const budgets = items.map(
      ({ inscription, owner, postageSats }) =>
        postageSats + 4000 + (inscription.body.length + owner.length) * FEE_RATE,
    )
    const split = await pay(budgets.map((valueSats) => ({ valueSats, script: this.script })))
    const transactions = items.map(({ inscription, owner, postageSats }, n) => {
      const vout = n + 1
      this.used.add(`${txidOf(split)}:${vout}`)
      return buildInscribe({ txid: txidOf(split), vout, ...split.outputs[vout]! }, [inscription], {
        privateKey: FAUCET_KEY,
        feeRateSatVb: FEE_RATE,
        outputs: [{ valueSats: postageSats, script: owner }],
      })
    })
    await this.mineOnce(transactions.flatMap(({ commit, reveal }) => [commit, reveal]))
    return transactions.map(({ reveal }) => `${txidOf(reveal)}i0`)
  }

  /** Creates many inscriptions in one reveal. */
  async inscribeTogether(
    items: readonly { inscription: NewInscription; owner: Uint8Array; postageSats: number }[],
  ): Promise<string[]> {
    const bytes = items.reduce(
      (sum, { inscription, owner }) => sum + inscription.body.length + owner.length,
      0,
    )
    const postage = sumSats(items.map(({ postageSats }) => postageSats))
    const coin = await this.fund(this.script, postage + (4000 + bytes + 200 * items.length) * FEE_RATE)
    this.used.add(`${coin.txid}:${coin.vout}`)
    let pointer = 0
    const inscriptions = items.map(({ inscription, postageSats }) => {
      const placed = { ...inscription, pointer }
      pointer += postageSats
      return placed
    })
    const { commit, reveal } = buildInscribe(coin, inscriptions, {
      privateKey: FAUCET_KEY,
      feeRateSatVb: FEE_RATE,
      outputs: items.map(({ postageSats, owner }) => ({ valueSats: postageSats, script: owner })),
    })
    await this.mineExactly([commit, reveal])
    return items.map((_, n) => `${txidOf(reveal)}i${n}`)
  }

  async mineExactly(transactions: readonly Tx[]): Promise<string> {
    const { hash } = await this.call<{ hash: string }>(
      'generateblock',
      this.address,
      transactions.map(hexOfTransaction),
    )
    return hash
  }
  /** Mines a block with these transactions, unless the first input is already spent. */
  async mineOnce(transactions: readonly Tx[]): Promise<void> {
    const { txid, vout } = transactions[0]!.inputs[0]!
    if ((await this.call('gettxout', txid, vout, false)) !== null) await this.mineExactly(transactions)
  }

  /** Sets the node's clock in Unix seconds, at least to the tip's time. 0 uses the system clock. */
  async setClock(seconds: number): Promise<void> {
    const { time } = seconds === 0 ? { time: 0 } : await this.call<{ time: number }>('getblockchaininfo')
    await this.call('setmocktime', Math.max(time, seconds))
  }
}
