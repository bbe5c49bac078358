/** Responds to all requests with the fault that prevents the service from starting. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { html } from '../../html/markup/markup.ts'
import { createServer } from '../../tools/node-builtins.ts'

/** Returns a function that serves a connection: 503 for each request, as HTML or as a problem. */
export function createFaultServer(fault: string): (socket: Socket) => void {
  const server = createServer((request, response) => respondWithFault(request, response, fault))
  return (socket) => {
    server.emit('connection', socket)
    socket.resume()
  }
}

function respondWithFault({ headers }: IncomingMessage, response: ServerResponse, fault: string): void {
  const wantsHtml = /\btext\/html\b/.test(headers.accept ?? '')
  response.writeHead(503, {
    'content-type': wantsHtml ? 'text/html; charset=utf-8' : 'application/problem+json',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    'retry-after': '1',
    // The next request is for the service.
    connection: 'close',
  })
  response.end(wantsHtml ? faultPage(fault) : formatProblem(fault))
}

function formatProblem(detail: string): string {
  return JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail })
}

/** The page loads itself again, so that it disappears when the fault is corrected. */
function faultPage(fault: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="1">
<title>The service cannot start</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: .25rem solid #c62828; padding-left: 1rem }</style>
</head>
<body>
<main>
<h1>The service cannot start</h1>
<pre>${fault}</pre>
<p>Correct the fault and save the file. This page then loads again by itself.</p>
</main>
</body>
</html>
`.text
}
