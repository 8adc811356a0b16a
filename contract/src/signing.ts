import { Type } from 'typebox'
import { PositiveSats } from './amounts.ts'
import {
  Address,
  Base64Psbt,
  InscriptionId,
  SignedPsbt,
  Txid,
  WalletBindingRequest,
  WalletPublicKey,
} from './scalars.ts'

const input = {
  signerAddress: Type.Optional(Address),
  publicKey: Type.Optional(WalletPublicKey),
  disableTweakSigner: Type.Optional(Type.Boolean()),
  signingIndexes: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 1000 }),
  sigHash: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
}
const InputToSign = Type.Object({ address: Address, ...input }, { title: 'InputToSign' })
/** As submitted. The address is optional because the step contains the signer. */
const SignedInput = Type.Object({ address: Type.Optional(Address), ...input }, { title: 'SignedInput' })

const stepIndex = Type.Integer({ minimum: 0 })
const step = {
  signerAddress: Address,
  inputsToSign: Type.Array(InputToSign, { minItems: 1, maxItems: 100 }),
  psbtBase64: Base64Psbt,
}
const signedStep = {
  ...step,
  inputsToSign: Type.Array(SignedInput, { minItems: 1, maxItems: 100 }),
  psbtBase64: SignedPsbt,
}

export const PsbtStep = Type.Object({ stepIndex, ...step }, { title: 'PsbtStep' })
export const SignedPsbtStep = Type.Object({ stepIndex, ...signedStep }, { title: 'SignedPsbtStep' })
export const RecoveryPsbt = Type.Object(step, { title: 'RecoveryPsbt' })
export const SignedRecoveryPsbt = Type.Object(signedStep, { title: 'SignedRecoveryPsbt' })
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
