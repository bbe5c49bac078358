/** Responds in place of a program that does not run: the service, or the development server of its front end. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { html } from '../../html/markup/markup.ts'
import { createServer, reasonPhrase } from '../../tools/node-builtins.ts'

export interface Absence {
  readonly status: 502 | 503
  readonly title: string
  readonly fault: string
  /** The remedy. */
  readonly advice: string
}

/** Returns a function that serves a connection: 503 for each request, as HTML or as a problem. */
export function createFaultServer(fault: string): (socket: Socket) => void {
  const absence: Absence = {
    status: 503,
    title: 'The service cannot start',
    fault,
    advice: 'Correct the fault and save the file.',
  }
  const server = createServer((request, response) => respondWithAbsence(request, response, absence))
  return (socket) => {
    server.emit('connection', socket)
    socket.resume()
  }
}

export function respondWithAbsence(
  { headers }: IncomingMessage,
  response: ServerResponse,
  absence: Absence,
): void {
  const wantsHtml = /\btext\/html\b/.test(headers.accept ?? '')
  response.writeHead(absence.status, {
    'content-type': wantsHtml ? 'text/html; charset=utf-8' : 'application/problem+json',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    'retry-after': '1',
    // The next request is for the service.
    connection: 'close',
  })
  response.end(wantsHtml ? absencePage(absence) : formatProblem(absence))
}

function formatProblem({ status, fault, advice }: Absence): string {
  const detail = `${fault} ${advice}`
  return JSON.stringify({ type: 'about:blank', title: reasonPhrase(status), status, detail })
}

/** The page loads itself again, so that it disappears when the program runs. */
function absencePage({ title, fault, advice }: Absence): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="1">
<title>${title}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: .25rem solid #c62828; padding-left: 1rem }</style>
</head>
<body>
<main>
<h1>${title}</h1>
<pre>${fault}</pre>
<p>${advice} This page then loads again by itself.</p>
</main>
</body>
</html>
`.text
}
