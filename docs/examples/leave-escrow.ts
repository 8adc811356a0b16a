import { exitEscrow, type Wallet } from '@ordbook/sdk'

type Wish = Parameters<typeof exitEscrow>[1]

/** Brings an inscription home from an escrow of the wallet form, without the market. */
export async function leaveEscrow(
  wallet: Wallet,
  { txid, vout, valueSats, cosignKey }: Omit<Wish['escrows'][number], 'form'>,
  coins: Wish['coins'],
) {
  const { tx, feeSats } = await exitEscrow(wallet, {
    escrows: [{ txid, vout, valueSats, form: 'wallet', cosignKey }],
    coins, // of the payment address; none: the fee comes from the end of the escrow coin
    feeRateSatVb: 3,
  })
  return { tx, feeSats }
}
