import { base64OfBytes, bytesOfBase64, concatBytes, hexToBytes, varBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodePsbt as readPsbt, unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { fromScure, type ScureTx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'

/** The fields of a version 0 PSBT that lies change. Txids are in display byte order. */
export interface Psbt {
  global: { unsignedTx: UnsignedTx }
  inputs: PsbtInput[]
  outputs: Record<string, unknown>[]
}

interface UnsignedTx {
  version: number
  lockTime: number
  inputs: { txid: Uint8Array; index: number; finalScriptSig: Uint8Array; sequence: number }[]
  outputs: { amount: bigint; script: Uint8Array }[]
}

export type ControlBlock = { version: number; internalKey: Uint8Array; merklePath: Uint8Array[] }

export interface PsbtInput {
  nonWitnessUtxo?: UnsignedTx & { witnesses?: Uint8Array[][]; segwitFlag?: boolean }
  witnessUtxo?: { amount: bigint; script: Uint8Array }
  partialSig?: [Uint8Array, Uint8Array][]
  sighashType?: number
  redeemScript?: Uint8Array
  witnessScript?: Uint8Array
  bip32Derivation?: unknown[]
  finalScriptSig?: Uint8Array
  finalScriptWitness?: Uint8Array[]
  tapKeySig?: Uint8Array
  tapScriptSig?: [{ pubKey: Uint8Array; leafHash: Uint8Array }, Uint8Array][]
  tapLeafScript?: [ControlBlock, Uint8Array][]
  tapBip32Derivation?: [Uint8Array, { hashes: Uint8Array[]; der: { fingerprint: number; path: number[] } }][]
  tapInternalKey?: Uint8Array
  tapMerkleRoot?: Uint8Array
  unknown?: [{ type: number; key: Uint8Array }, Uint8Array][]
}

export const decodePsbt = (base64: string): Psbt =>
  RawPSBTV0.decode(bytesOfBase64(base64)!) as unknown as Psbt
const encodePsbt = (psbt: Psbt): string => base64OfBytes(RawPSBTV0.encode(psbt as never))

export function edited(base64: string, change: (psbt: Psbt) => void): string {
  const psbt = decodePsbt(base64)
  change(psbt)
  return encodePsbt(psbt)
}

export type PsbtMap = [Uint8Array, Uint8Array][]

/** Splits a PSBT into raw maps, for entries that no codec writes. */
export function mapsOf(base64: string): { global: PsbtMap; inputs: PsbtMap[]; outputs: PsbtMap[] } {
  const bytes = bytesOfBase64(base64)!
  const { length: inputs } = decodePsbt(base64).inputs
  let at = 5
  const take = (length: number) => bytes.slice(at, (at += length))
  const size = () => {
    const first = take(1)[0]!
    const wide = first < 0xfd ? 0 : first === 0xfd ? 2 : 4
    return wide === 0 ? first : take(wide).reduce((sum, byte, i) => sum + byte * 256 ** i, 0)
  }
  const maps: PsbtMap[] = []
  for (let map: PsbtMap = []; at < bytes.length; ) {
    const length = size()
    if (length > 0) {
      map.push([take(length), take(size())])
      continue
    }
    maps.push(map)
    map = []
  }
  return { global: maps[0]!, inputs: maps.slice(1, inputs + 1), outputs: maps.slice(inputs + 1) }
}

export function psbtOfMaps({ global, inputs, outputs }: ReturnType<typeof mapsOf>): string {
  const end = Uint8Array.of(0)
  const maps = [global, ...inputs, ...outputs].flatMap((map) => [
    ...map.flatMap(([key, value]) => [varBytes(key), varBytes(value)]),
    end,
  ])
  return base64OfBytes(concatBytes(Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff), ...maps))
}

/** Returns the txid after signing. Nested segwit inputs get script signatures from their redeem scripts. */
export function idOf(base64: string): string {
  const tx = unsignedTransactionOf(base64)
  for (const [i, { redeemScript }] of readPsbt(base64).inputs.entries())
    if (redeemScript) tx.inputs[i]!.scriptSig = Uint8Array.of(redeemScript.length, ...redeemScript)
  return txidOf(tx)
}

export const previousIdOf = (tx: NonNullable<PsbtInput['nonWitnessUtxo']>): string =>
  txidOf(fromScure(tx as unknown as ScureTx))

export function psbtOfTheft(
  coins: readonly { txid: string; vout: number; valueSats: number; script: Uint8Array }[],
  output: { valueSats: number; script: Uint8Array },
): string {
  return encodePsbt({
    global: {
      unsignedTx: {
        version: 2,
        lockTime: 0,
        inputs: coins.map(({ txid, vout }) => ({
          txid: hexToBytes(txid),
          index: vout,
          finalScriptSig: new Uint8Array(),
          sequence: 0xfffffffd,
        })),
        outputs: [{ amount: BigInt(output.valueSats), script: output.script }],
      },
    },
    inputs: coins.map(({ valueSats, script }) => ({ witnessUtxo: { amount: BigInt(valueSats), script } })),
    outputs: [{}],
  })
}

/** Inserts a coin into a PSBT's inputs. Default: at the end. */
export function bring(
  { global, inputs }: Psbt,
  coin: { txid: string; vout: number; valueSats: number; script: Uint8Array },
  i = inputs.length,
): void {
  global.unsignedTx.inputs.splice(i, 0, {
    txid: hexToBytes(coin.txid),
    index: coin.vout,
    finalScriptSig: new Uint8Array(),
    sequence: 0xfffffffd,
  })
  inputs.splice(i, 0, { witnessUtxo: { amount: BigInt(coin.valueSats), script: coin.script } })
}
