import { kindOfScript } from '@ordbook/bitcoin/address.ts'
import { taggedHash } from '@ordbook/bitcoin/keys.ts'
import { tapLeafHash } from '@ordbook/bitcoin/sighash.ts'
import {
  at,
  type Exchange,
  isEscrow,
  type Liar,
  type Lie,
  nameOf,
  signingIndexesOf,
  stepsOf,
} from '../exchange.ts'
import { decodePsbt, edited, type Psbt } from '../psbt.ts'

const JUNK = new Uint8Array(64).fill(5)

/** PSBT fields that change what the wallet signs, or that an honest PSBT does not have yet. */
export function* liesAboutFields({ answer }: Exchange, liar: Liar): Generator<Lie> {
  for (const { path, step } of stepsOf(answer)) {
    const psbt = decodePsbt(step.psbtBase64)
    const lie = (name: string, change: (psbt: Psbt) => void): Lie => ({
      name: `${nameOf(path)} ${name}`,
      family: 'fields',
      tell: (told) => {
        const changed = at(told, path)
        changed.psbtBase64 = edited(changed.psbtBase64, change)
        return undefined
      },
    })
    for (const i of signingIndexesOf(step)) {
      const input = psbt.inputs[i]!
      const taproot = kindOfScript(input.witnessUtxo!.script) === 'p2tr'
      yield lie(`has input ${i} finalised`, ({ inputs }) => {
        inputs[i]!.finalScriptWitness = [JUNK]
      })
      if (!taproot)
        yield lie(`has a script signature in input ${i}`, ({ inputs }) => {
          inputs[i]!.finalScriptSig = Uint8Array.of(1, 7)
        })
      if (taproot)
        yield lie(`has a key-path signature in input ${i}`, ({ inputs }) => {
          inputs[i]!.tapKeySig = JUNK
        })
      if (!isEscrow(input)) {
        if (taproot) {
          yield lie(`shows a leaf on the plain coin of input ${i}`, ({ inputs }) => {
            inputs[i]!.tapLeafScript = [leafOf(liar, Uint8Array.of(0x51))]
          })
          yield lie(`names another internal key in input ${i}`, ({ inputs }) => {
            inputs[i]!.tapInternalKey = liar.key
          })
        }
        continue
      }
      const [control, script] = input.tapLeafScript![0]!
      const leaf = script.slice(0, -1)
      const seller = leaf.slice(1, 33)
      const exit = Uint8Array.from([0x20, ...seller, 0xac])
      const hash = tapLeafHash(leaf)
      yield lie(`names the internal key of the escrow in input ${i}`, ({ inputs }) => {
        inputs[i]!.tapInternalKey = control.internalKey
      })
      yield lie(`names the root of the escrow in input ${i}`, ({ inputs }) => {
        inputs[i]!.tapMerkleRoot = hash
      })
      yield lie(`names key and root of the escrow in input ${i}`, ({ inputs }) => {
        Object.assign(inputs[i]!, { tapInternalKey: control.internalKey, tapMerkleRoot: hash })
      })
      yield lie(`also shows the seller's exit leaf in input ${i}`, ({ inputs }) => {
        inputs[i]!.tapLeafScript!.push([{ ...control, merklePath: [hash] }, Uint8Array.from([...exit, 0xc0])])
      })
      yield lie(`shows the seller's exit leaf instead in input ${i}`, ({ inputs }) => {
        inputs[i]!.tapLeafScript = [[{ ...control, merklePath: [hash] }, Uint8Array.from([...exit, 0xc0])]]
      })
      yield lie(`shows the leaf under another version in input ${i}`, ({ inputs }) => {
        inputs[i]!.tapLeafScript = [
          [{ ...control, version: control.version ^ 2 }, Uint8Array.from([...leaf, 0xc2])],
        ]
      })
      yield lie(`shows no leaf in input ${i}`, ({ inputs }) => {
        delete inputs[i]!.tapLeafScript
      })
      yield lie(`derives the seller's key for two leaves in input ${i}`, ({ inputs }) => {
        const der = { fingerprint: 0, path: [] }
        inputs[i]!.tapBip32Derivation = [[seller, { hashes: [hash, taggedHash('TapLeaf', exit)], der }]]
      })
      yield lie(`derives the seller's key for the key path in input ${i}`, ({ inputs }) => {
        inputs[i]!.tapBip32Derivation = [[seller, { hashes: [], der: { fingerprint: 0, path: [] } }]]
      })
    }
  }
}

const leafOf = (liar: Liar, leaf: Uint8Array) =>
  [{ version: 0xc0, internalKey: liar.key, merklePath: [] }, Uint8Array.from([...leaf, 0xc0])] as [
    { version: number; internalKey: Uint8Array; merklePath: Uint8Array[] },
    Uint8Array,
  ]
