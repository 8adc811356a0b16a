/** Most used exports. Other modules are exported by name, such as `@ordbook/bitcoin/envelope`. */

export {
  type AddressNetwork,
  addressOfScript,
  kindOfScript,
  type ScriptKind,
  scriptOfAddress,
  scriptOfPublicKey,
} from './address.ts'
export { signMessage, verifyMessage } from './bip322.ts'
export { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from './bytes.ts'
export { BitcoinError, type BitcoinErrorCode } from './errors.ts'
export { parseInscriptionId } from './inscription-id.ts'
export { publicKeyOf, toXOnly } from './keys.ts'
export { formatOutpoint, type Outpoint, parseOutpoint } from './outpoint.ts'
export { btcOfSats, satsOfBtc } from './sats.ts'
export { SIGHASH } from './sighash.ts'
export type { Coin } from './trade/layout.ts'
export { decodeTransaction, hexOfTransaction, type Tx, txidOf } from './transaction.ts'
