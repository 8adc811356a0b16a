import { WalletDeclined } from '@ordbook/sdk/errors.ts'

/** The visitor separates the coin of an item instead of signing. */
export class SeparateFirst extends WalletDeclined {
  readonly inscriptionId: string
  constructor(inscriptionId: string) {
    super('You separate the coin first.')
    this.inscriptionId = inscriptionId
  }
}
