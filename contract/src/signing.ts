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
/** As submitted: the address may be left out, since the step around it names its signer. */
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
/** As submitted: the inscription may be left out, since the entry around it names it. */
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

/** The coins of a request. */
export const SpendableUtxos = Type.Array(SpendableUtxo, {
  maxItems: 1000,
  description:
    'The coins of the payment address that may be spent: confirmed ones, and for purchases, offers and counters the change of trades made here. Needed unless the provider is Xverse.',
})
/** The same if the server looks up coins when none are listed, which is slow on a large chain. */
export const PreferredUtxos = Type.Array(SpendableUtxo, {
  maxItems: 1000,
  description: 'The confirmed coins of the payment address that may be spent; all of them when left out.',
})
/** The coins chosen of them. */
export const SelectedUtxos = Type.Array(SpendableUtxo, { minItems: 1, maxItems: 1000 })

/** The members of a request that the key of the ordinals address signs for. */
export const ownerRequest = { ...WalletBindingRequest.properties, ordinalsPublicKey: WalletPublicKey }
/** The members of a request that coins of the payment address pay for. */
export const payerRequest = {
  ...WalletBindingRequest.properties,
  paymentPublicKey: WalletPublicKey,
  spendableUtxos: Type.Optional(SpendableUtxos),
}
