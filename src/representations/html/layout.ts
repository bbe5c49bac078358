/** What every page has around it: the head, the way to everything else, who is signed in. */

import { isForAdmin } from '../../access/authorize.ts'
import type { Model } from '../../declare/model.ts'
import { formatPath } from '../../http/target.ts'
import type { Frame } from '../../view/frame.ts'
import { relationName } from '../../view/relation.ts'
import {
  collectionUri,
  docsUri,
  homeUri,
  problemsUri,
  signInUri,
  signOutUri,
  statusUri,
} from '../../view/uri.ts'
import { type Asset, icon, script, stylesheet } from './assets.ts'
import { labelOf } from './label.ts'
import { html, type Part, type Safe } from './markup.ts'
import { nextQuery } from './next.ts'

export interface Page {
  readonly title: string
  readonly main: Part
}

/** The whole document. */
export function layout(frame: Frame, { title, main }: Page): string {
  const { model } = frame
  const name = title === model.title ? title : `${title} · ${model.title}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="${assetUri(model, icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${assetUri(model, stylesheet)}">
<script type="module" src="${assetUri(model, script)}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${banner(frame)}
<main id="main" tabindex="-1">
${main}
</main>
${footer(frame)}
</body>
</html>
`.text
}

export function assetUri({ base }: Model, { name }: Asset): string {
  return formatPath(base, ['assets', name])
}

function banner(frame: Frame): Safe {
  const { model, navigation, uri } = frame
  const [path = ''] = uri.split('?')
  const links = navigation.map(({ target, rel }) => {
    const current = path === target || path.startsWith(`${target}/`)
    return html`<li><a href="${target}"${current && html` aria-current="${path === target ? 'page' : 'true'}"`}>${labelOf(relationName(rel) ?? rel)}</a></li>`
  })
  return html`<header class="banner">
<a class="brand" href="${homeUri(model)}">${model.title}</a>
<nav aria-label="Collections"><ul>${links}</ul></nav>
${account(frame)}
</header>`
}

function account(frame: Frame): Safe | undefined {
  const { model, who, doors } = frame
  if (who.kind === 'anonymous') {
    if (!doors) return undefined
    return html`<div class="account"><a href="${signInUri(model)}${nextQuery(frame)}">Sign in</a></div>`
  }
  const name = frame.account
    ? html`<a href="${frame.account.uri}" title="Your account">${frame.account.title}</a>`
    : html`<span>Signed in</span>`
  const tokens = model.tokens && html`<a href="${collectionUri(model, model.tokens)}">Tokens</a>`
  return html`<div class="account">${name} ${tokens}
<form method="post" action="${signOutUri(model)}"><button class="quiet">Sign out</button></form></div>`
}

function footer({ model, who }: Frame): Safe {
  return html`<footer class="foot"><nav aria-label="About this service"><a href="${docsUri(model)}">Documentation</a> <a href="${problemsUri(model)}">Problems</a>${isForAdmin(model, who, 'status') && html` <a href="${statusUri(model)}">Status</a>`}</nav></footer>`
}
