import { openapiDocument } from '@ordbook/http/documents/openapi.ts'
import { readCommand } from './command.ts'

/** `npm run openapi`: prints the OpenAPI 3.1 document of a server at PUBLIC_URL. */
readCommand('usage: npm run openapi   (PUBLIC_URL names the server of the document)', {})
console.log(JSON.stringify(openapiDocument(process.env.PUBLIC_URL ?? 'http://127.0.0.1:4000'), null, 2))
