import { Type } from 'typebox'

export const Count = Type.Integer({ minimum: 0 })
export const Height = Type.Integer({ minimum: 0 })

/** The common members of the storefront's reads beside the API. Only the visitor's own data needs a session. */
export const read = {
  method: 'GET',
  area: 'Storefront',
  bucket: 'web-reads',
  statuses: [400, 404, 429, 500],
  token: false,
  sameForAll: true,
} as const
