import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { concatBytes, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { taggedHash, taprootOutputKey } from '@ordbook/bitcoin/keys.ts'
import { tapLeafHash } from '@ordbook/bitcoin/sighash.ts'
import { at, changePsbt, type Exchange, isEscrow, type Liar, type Lie, nameOf, stepsOf } from '../exchange.ts'
import { type ControlBlock, decodePsbt, edited } from '../psbt.ts'

/** NUMS point from BIP-341. Its private key is unknown. */
const NOBODYS = Uint8Array.from(
  Buffer.from('50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0', 'hex'),
)

interface Tree {
  internalKey: Uint8Array
  leaf: Uint8Array
  other?: Uint8Array
}

const escrowLeaf = (seller: Uint8Array, market: Uint8Array) =>
  Uint8Array.from([0x20, ...seller, 0xac, 0x20, ...market, 0xba, 0x52, 0x9c])
const onlyKey = (key: Uint8Array) => Uint8Array.from([0x20, ...key, 0xac])

function outputOf({ internalKey, leaf, other }: Tree): {
  script: Uint8Array
  control: ControlBlock
  leaf: Uint8Array
} {
  const hash = tapLeafHash(leaf)
  const beside = other && tapLeafHash(other)
  const root = beside
    ? taggedHash('TapBranch', ...[hash, beside].toSorted((a, b) => Buffer.compare(a, b)))
    : hash
  const { outputKey, odd } = taprootOutputKey(internalKey, root)
  const control = { version: odd ? 0xc1 : 0xc0, internalKey, merklePath: beside ? [beside] : [] }
  return { script: p2trScript(outputKey), control, leaf: concatBytes(leaf, Uint8Array.of(0xc0)) }
}

/** Replaces the escrow consistently: the transfer pays into it and its spends reveal its leaf. */
export function* liesAboutEscrows({ answer }: Exchange, liar: Liar): Generator<Lie> {
  const legs = stepsOf(answer).filter(({ step }) => decodePsbt(step.psbtBase64).inputs.some(isEscrow))
  for (const { path, step } of stepsOf(answer)) {
    const tx = decodePsbt(step.psbtBase64).global.unsignedTx
    for (const [vout, output] of tx.outputs.entries()) {
      // Outputs that no step spends through a leaf are not escrows.
      const leg = legs
        .flatMap(({ step: spending }) => decodePsbt(spending.psbtBase64).inputs)
        .find((input) => isEscrow(input) && equalBytes(input.witnessUtxo!.script, output.script))
      if (!leg) continue
      const [control, shown] = leg.tapLeafScript![0]!
      const leaf = shown.slice(0, -1)
      const seller = leaf.slice(1, 33)
      const market = leaf.slice(35, 67)
      const { internalKey } = control
      // Keep the seller's exit leaf, the second leaf of the wallet form.
      const exit = control.merklePath.length > 0 ? { other: onlyKey(seller) } : {}
      const trees: Record<string, Tree> = {
        'that the liar co-signs': { internalKey, leaf: escrowLeaf(seller, liar.key), ...exit },
        'that the liar leaves by the key path': { internalKey: liar.key, leaf, ...exit },
        'without a key path': { internalKey: NOBODYS, leaf, ...exit },
        'with a leaf of the liar': { internalKey, leaf, other: onlyKey(liar.key) },
        'with a leaf of the market': { internalKey, leaf, other: onlyKey(market) },
        'with a leaf for anyone': { internalKey, leaf, other: Uint8Array.of(0x51) },
        "whose leaf is not the seller's": { internalKey, leaf: escrowLeaf(liar.key, market), ...exit },
        'whose leaf needs one of two': {
          internalKey,
          leaf: Uint8Array.from([...leaf.slice(0, -2), 0x51, 0x9c]),
        },
        'of the other form': {
          internalKey,
          ...(control.merklePath.length > 0
            ? { leaf: escrowLeaf(internalKey, market) }
            : { leaf, other: onlyKey(seller) }),
        },
      }
      for (const [what, tree] of Object.entries(trees))
        yield {
          name: `${nameOf(path)} pays output ${vout} into an escrow ${what}`,
          family: 'escrow',
          tell: (told) => {
            const decoy = outputOf(tree)
            changePsbt(told, path, true, ({ global }) => {
              global.unsignedTx.outputs[vout]!.script = decoy.script
            })
            for (const { path: legPath } of legs) {
              const spending = at(told, legPath)
              spending.psbtBase64 = edited(spending.psbtBase64, ({ inputs }) => {
                for (const input of inputs)
                  if (isEscrow(input) && equalBytes(input.witnessUtxo!.script, decoy.script))
                    input.tapLeafScript = [[decoy.control, decoy.leaf]]
              })
            }
            return undefined
          },
        }
    }
  }
}
