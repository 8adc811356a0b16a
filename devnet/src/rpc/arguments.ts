import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodeTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'

/** A JSON-RPC error with Core's error code. */
export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

type Params = any[]
/** Methods by name. A method throws RpcError, RejectError or BitcoinError. */
export type Methods = Record<string, (params: Params) => unknown>

export function scriptOf(address: string): Uint8Array {
  return scriptOfAddress(address, 'regtest')
}

export function scriptOfDescriptor(descriptor: string): Uint8Array {
  const [, kind, body] = /^(raw|addr)\(([^)]+)\)(?:#.*)?$/.exec(descriptor) ?? []
  if (!kind || !body)
    throw new RpcError(-5, `The devnet supports raw() and addr() descriptors, not ${descriptor}`)
  return kind === 'raw' ? hexToBytes(body) : scriptOf(body)
}

export function decode(hex: unknown): Tx {
  try {
    return decodeTransaction(String(hex))
  } catch {
    throw new RpcError(-22, 'TX decode failed. Make sure the tx has at least one input.')
  }
}

export function listOf(hexes: unknown): Tx[] {
  if (!Array.isArray(hexes) || hexes.length === 0)
    throw new RpcError(-8, 'Array must contain between 1 and 25 transactions.')
  return hexes.map(decode)
}
