import type { Area } from './operation.ts'

/** Summary, page and introduction per area. The pages list the operations below the introduction. */
export const GUIDE: Record<Area, { summary: string; page: string; text: string }> = {
  Authentication: {
    summary: 'Sign in with wallet signatures (BIP-322) and get a bearer token.',
    page: 'authentication',
    text: `A wallet signs in by signing a message for each of its addresses; there are no API keys. Request challenges, sign the exact
text of each with BIP-322 (or sign its to_sign as a PSBT, if the wallet signs only transactions), and send the signatures back. The
response has a bearer token that is valid for an hour. When it expires, sign in again. A challenge is valid for ten minutes and can be
used once. The payment address must hold a confirmed minimum (100,000 sats by default) when the token is issued. [Signing](signing.md)
has the format of the message, what to check before you sign it, and test vectors. With the SDK, the signature is
\`await wallet.signMessage(address, message)\`.`,
  },
  Session: {
    summary: "The storefront's cookie session: sign in, renew, list and end sessions.",
    page: 'session',
    text: `The storefront's sign-in, below \`/web/v1\`. It uses the same signatures, and the session is an HttpOnly cookie. No minimum funding
is required, but an unfunded wallet has a small budget of writes and market coins. Every POST, also the sign-in, must come from a page of
the server: a bot sends the header \`Origin\` with the origin of the market's URL. Bearer tokens are not accepted here, and cookies are not
accepted by the API. A session ends after 12 hours; \`GET /web/v1/session\` replaces a cookie that is older than an hour, until a week after
the sign-in. Bots use the API, and sign in here only for the operations that this reference lists below \`/web/v1\`, such as
[swaps](proposals.md), because the API does not have them.`,
  },
  Storefront: {
    summary: "Reads and quotes that the server's pages use.",
    page: 'storefront',
    text: `Reads for the server's pages, below \`/web/v1\`, most of them without a session. The operations of the API are available at the
same paths with the session cookie and share its rate limits; reads that only the pages need are counted separately. \`GET /events\`
publishes [live events](events.md). The API does not have the reads and quotes on this page, so bots call them too: quotes are POST and
require [\`Origin\`](session.md).`,
  },
  Profile: {
    summary: 'The signed-in profile and its wallet bindings.',
    page: 'profile',
    text: `The signed-in profile and its wallet bindings. A binding is a pair of ordinals address and payment address. Every write sends a
\`walletBindingId\`.`,
  },
  Collections: {
    summary: 'Floor prices, and the inscriptions of a collection.',
    page: 'collections',
    text: `Floors and contents. Amounts named \`…Sats\` and \`floor\` are integer sats; \`price\` and \`lastSale\` are BTC. Slugs are case-insensitive.
\`GET /web/v1/collections\` lists all collections, without a session. A floor is the lowest price at which an item can be bought now. Its changes compare it with the floor
exactly 24 hours and 7 days ago, and are null if there was none. Items are sorted by inscription sequence, which differs from the
inscription number. \`listingState\` explains why a listed item cannot be bought: \`hidden_locked\` during a trade or while an unconfirmed
transaction spends its coin, \`pending_public\` while its coin is unconfirmed. If sats are not numbered, \`sat\` is null and \`satributes\`
is empty.`,
  },
  Listings: {
    summary: 'Read the order book, list, reprice and delist.',
    page: 'listings',
    text: `The order book and the seller's side. To list, call the preflight, [verify and sign](signing.md#listing) both PSBTs of each item and the
recovery, and submit with the same fields and handles. Nothing is broadcast until the item sells, and the inscription stays at the seller's address.
Listing again at another price replaces the listing. \`fees\` of [\`GET /web/v1/market\`](storefront.md#getMarket) has the market's fees.
Only inscriptions in a collection of the market can be listed or get offers, and only the operator adds collections; the owner of any other inscription can
offer it in a [swap](proposals.md). Delisting is one call; \`GET /orders/{listingId}\` reports when the old signatures
become worthless.`,
  },
  Escrows: {
    summary: 'Relist, move or withdraw an inscription whose sale failed on the chain.',
    page: 'escrows',
    text: `An inscription enters escrow only together with a sale. If the sale then fails on the chain, because its buyer spent the coins
elsewhere, the inscription is in escrow and still belongs to its owner. The owner can list it again or change its price (relist),
[withdraw it](signing.md#escrow) at the market's cost (reclaim), invalidate all signed prices at the owner's cost (move), or withdraw it without
the market ([exit](transactions.md#listing)). These operations are additive: \`/openapi-public.json\` describes them; the document of
the published interface does not.`,
  },
  Sales: {
    summary: 'Confirmed sales, newest first.',
    page: 'sales',
    text: `Confirmed sales, newest first. \`priceSats\` is in sats, \`price\` in BTC, \`priceUsd\` in US dollars. \`internal\` sales were settled here; \`external\` sales are detected on the chain, net of the seller's
fees elsewhere. Sales of an undone block are removed.`,
  },
  'P2P proposals': {
    summary: 'Swaps of inscriptions and sats that users propose.',
    page: 'proposals',
    text: `Swaps that users propose: inscriptions and sats for inscriptions and sats. The API returns active public proposals, each once, even
if it offers and requests the same collection. Values are estimates by floor; items without a floor count as zero. A proposal is hidden
while an offered inscription has moved, is being bought, or is spent by an unconfirmed transaction. Proposals are created, accepted and
cancelled below \`/web/v1\`, by bots too, with a [cookie session](session.md) and the header \`Origin\`. [Signing](signing.md#swap) describes what
to verify.`,
  },
  Buying: {
    summary: 'Buy 1 to 20 listings in one settlement.',
    page: 'buying',
    text: `1 to 20 listings in one settlement. The preflight returns the total cost to the sat and chooses coins from those you offer.
[Verify and sign](signing.md#purchase) its PSBT and submit. Repeating a submit returns the same response. A 409 means that the order book or a coin changed: read again and start
with a new preflight, never with old PSBTs. Coins with inscriptions or rare sats are skipped.`,
  },
  Offers: {
    summary: 'Bid on inscriptions, collections and traits; accept, counter, reject and cancel bids.',
    page: 'offers',
    text: `Bids. An offer on named inscriptions is a settlement that its buyer has fully signed; only the owner's signature is missing. A
counter is the seller's price to that buyer. A collection-wide or trait offer accepts any inscription that was eligible when it was
made; its seller pays the fees. Nothing is broadcast before both sides have signed. One coin can back several offers: the first that
settles ends the others. A bid counts while it can be accepted: if the network fee exceeds the seller's net, it stays listed but neither
warns nor prevents a listing below it until fees fall. These checks rank bids by the seller's net after all fees; lists rank by price.
Owners turn off collection and trait offers on an inscription with decline-bids. An offer whose coins or inscription move is
\`invalidated\`, also by an unconfirmed transaction, and \`active\` again if that transaction is dropped or undone.
[Signing](signing.md#offer-on-an-inscription) describes what to verify.`,
  },
  Signing: {
    summary:
      'Sign in and sign trades with any wallet: members of a step, keys, sighash types, what to verify in each PSBT, and test vectors.',
    page: 'signing',
    text: '',
  },
  Transactions: {
    summary: 'Inputs, outputs, signatures and sizes of every transaction of a trade.',
    page: 'transactions',
    text: '',
  },
  'Live events': {
    summary: 'Names, data, resumption and limits of the events that `GET /events` streams.',
    page: 'events',
    text: '',
  },
  'Public record': {
    summary: 'Keys, order histories and receipts that anyone can check without signing in.',
    page: 'record',
    text: `Public facts that can be checked without signing in, at the root of the server: the full history of a listing, and a receipt for
each settlement that can be verified with a Bitcoin node (\`ordbook market receipt\`, or \`verifyReceipt\` of the SDK).`,
  },
  Content: {
    summary: 'Inscription content, with ranges and encodings.',
    page: 'content',
    text: `Inscription content, from the root of the server or from a separate origin. It is hostile, so its policy gives it an opaque origin
and allows requests only for other content and the recursive endpoints. It is sent as inscribed, with its media type and
\`content-encoding\`; if the client does not accept the encoding, brotli and gzip are decoded, up to 4 MB, and otherwise the response is
406. One byte range (\`Range\`, \`If-Range\`) and ETags are supported.`,
  },
  Recursion: {
    summary: 'Chain data for recursive inscriptions, as `ord` returns it.',
    page: 'recursion',
    text: `Endpoints for content to read the chain, with the keys of \`ord\` 0.29 (ord handbook, "Recursion"). Pages of any origin may read the
responses, including errors. Responses that a block can change are not cached.`,
  },
  Server: {
    summary: 'Live events, health, metrics, and the documents of this server.',
    page: 'server',
    text: `Live events, health, metrics and the descriptions of this server. Three OpenAPI documents describe all endpoints:
\`/openapi.json\` the API, \`/web/v1/openapi.json\` the storefront's surface, \`/openapi-public.json\` the root of the server.`,
  },
  'Errors and rate limits': {
    summary: 'Every error code with its remedy, the rate limits, and the headers of responses.',
    page: 'errors',
    text: `Errors are \`{"error": "<message>", "code": "<code>", "retryable": <boolean>, "docsUrl": "<entry below>"}\`. Branch on
\`status\` and \`code\`, which are stable; messages may change. Treat an unknown code by its status. If \`retryable\` is true, the same request may
succeed later: repeat it after \`Retry-After\`, or after the next block. After a lost connection, repeat a write with the same body and
\`Idempotency-Key\`: it runs once, and the response is kept for a day.`,
  },
}
