/** The day each page of the reference last changed. Written by `npm run generate -- dates`. */
export const PAGE_DATES: Readonly<Record<string, { date: string; digest: string }>> = {
  authentication: { date: '2026-11-27', digest: '9be48754132325aa' },
  session: { date: '2026-11-27', digest: '0e5fcf444fc731f2' },
  storefront: { date: '2026-11-27', digest: '257fa53c85c4c693' },
  profile: { date: '2026-11-27', digest: '39dcd2133f373587' },
  collections: { date: '2026-11-27', digest: 'bfc2a53db76d16c8' },
  listings: { date: '2026-11-27', digest: '47aaf536b7e70461' },
  escrows: { date: '2026-11-27', digest: '9bcef915b9e759c3' },
  sales: { date: '2026-11-27', digest: '49e6465bbed42aa5' },
  proposals: { date: '2026-11-27', digest: '7bf27e4df920eaec' },
  buying: { date: '2026-11-27', digest: 'ebd497756aeb0b73' },
  offers: { date: '2026-11-27', digest: '49feee08d149d584' },
  record: { date: '2026-11-27', digest: 'c944b352100948ae' },
  content: { date: '2026-11-27', digest: '05e07c48611220a5' },
  recursion: { date: '2026-11-27', digest: '5440918ca87b76ee' },
  server: { date: '2026-11-27', digest: '0dff88008ee43e98' },
  errors: { date: '2026-11-27', digest: '534a0a250cc7b93c' },
}
