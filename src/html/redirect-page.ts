/** A redirect as an HTML page. The page requests the URI itself, so that browsers send the Strict session cookie with it. */

import type { HttpResponse, ResponseFields } from '../http/message.ts'
import { html } from './markup/markup.ts'

/** 200 with a page that goes to the URI by meta refresh. */
export function redirectPage(uri: string, title: string, fields: ResponseFields = {}): HttpResponse {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="0;url=${uri}">
<title>${title}</title>
</head>
<body>
<p><a href="${uri}">Continue</a></p>
</body>
</html>
`
  return {
    status: 200,
    fields: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...fields },
    body: page.text,
  }
}
