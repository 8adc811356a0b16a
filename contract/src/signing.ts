import { type TObject, Type } from 'typebox'
import { PositiveSats } from './amounts.ts'
import { exampleOf } from './example.ts'
import {
  Address,
  addressOf,
  Base64Psbt,
  InscriptionId,
  SignedPsbt,
  SignerPublicKey,
  Txid,
  WalletBindingRequest,
  WalletPublicKey,
} from './scalars.ts'

const input = {
  signerAddress: Type.Optional(addressOf('The same address.')),
  publicKey: Type.Optional(SignerPublicKey),
  disableTweakSigner: Type.Optional(
    Type.Boolean({
      description:
        'Only for taproot inputs. false: sign with the private key of the output key of the address, which is the tweaked key (BIP-341), even if the input is spent by a leaf. true: sign the leaf with the private key before the tweak.',
    }),
  ),
  signingIndexes: Type.Array(Type.Integer({ minimum: 0 }), {
    minItems: 1,
    maxItems: 1000,
    description: 'Zero-based indexes of the inputs to sign. Sign each of them and no others.',
  }),
  sigHash: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 255,
      description:
        'Sighash type that the signature must have: 0 DEFAULT, 1 ALL, 129 ALL|ANYONECANPAY, 131 SINGLE|ANYONECANPAY. If omitted: DEFAULT or ALL for taproot, ALL for segwit version 0.',
    }),
  ),
}
const InputToSign = Type.Object(
  {
    address: addressOf('Your address whose key signs: the ordinals address or the payment address.'),
    ...input,
  },
  { title: 'InputToSign' },
)
/** As submitted. The address is optional because the step contains the signer. */
const SignedInput = Type.Object({ address: Type.Optional(Address), ...input }, { title: 'SignedInput' })

const stepIndex = Type.Integer({
  minimum: 0,
  description:
    'Position of the step in the response, from 0. The submit has the same steps in the same order.',
})
const step = {
  signerAddress: addressOf(
    'The address that signs most inputs. `inputsToSign` has the address of each input.',
  ),
  inputsToSign: Type.Array(InputToSign, {
    minItems: 1,
    maxItems: 100,
    description: 'The inputs to sign, grouped by address, key and sighash type.',
  }),
  psbtBase64: Base64Psbt,
}
const signedStep = {
  ...step,
  inputsToSign: Type.Array(SignedInput, { minItems: 1, maxItems: 100 }),
  psbtBase64: SignedPsbt,
}

export const PsbtStep = Type.Object({ stepIndex, ...step }, { title: 'PsbtStep' })
export const SignedPsbtStep = Type.Object({ stepIndex, ...signedStep }, { title: 'SignedPsbtStep' })

interface ExampleStep {
  inputsToSign: object[]
}
/** Returns an example of a step with this sighash type. */
export function exampleStep(
  schema: TObject,
  { sigHash, ...position }: { sigHash: number; stepIndex?: number },
) {
  const { inputsToSign, ...rest } = exampleOf(schema) as ExampleStep
  return { ...rest, ...position, inputsToSign: inputsToSign.map((input) => ({ ...input, sigHash })) }
}

/** The recovery is signed ALL. */
const recovery = { examples: [exampleStep(Type.Object(step), { sigHash: 1 })] }
export const RecoveryPsbt = Type.Object(step, { title: 'RecoveryPsbt', ...recovery })
export const SignedRecoveryPsbt = Type.Object(signedStep, { title: 'SignedRecoveryPsbt', ...recovery })
export const ListingPsbtStep = Type.Object(
  { stepIndex, inscriptionId: InscriptionId, ...step },
  { title: 'ListingPsbtStep' },
)
/** As submitted. The inscription is optional because the enclosing entry contains it. */
export const SignedListingPsbtStep = Type.Object(
  { stepIndex, inscriptionId: Type.Optional(InscriptionId), ...signedStep },
  { title: 'SignedListingPsbtStep' },
)

export const SpendableUtxo = Type.Object(
  {
    txid: Txid,
    vout: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
    valueSats: PositiveSats,
  },
  { title: 'SpendableUtxo' },
)

export const SpendableUtxos = Type.Array(SpendableUtxo, {
  maxItems: 1000,
  description:
    'Coins of the payment address that can be spent: confirmed coins, and for purchases, offers and counters also the change of trades on this market. Required unless the provider is Xverse.',
})
/** Like `SpendableUtxos`, but optional. Looking up omitted coins is slow on a large chain. */
export const PreferredUtxos = Type.Array(SpendableUtxo, {
  maxItems: 1000,
  description: 'Confirmed coins of the payment address that can be spent. If omitted, all of them.',
})
export const SelectedUtxos = Type.Array(SpendableUtxo, { minItems: 1, maxItems: 1000 })

/** Fields of a request signed with the ordinals key. */
export const ownerRequest = { ...WalletBindingRequest.properties, ordinalsPublicKey: WalletPublicKey }
/** Fields of a request paid with coins of the payment address. */
export const payerRequest = {
  ...WalletBindingRequest.properties,
  paymentPublicKey: WalletPublicKey,
  spendableUtxos: Type.Optional(SpendableUtxos),
}
