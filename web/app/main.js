// Where the client starts.

import './app.js';
import { i18n } from './i18n.js';
import { oidc } from './net/oidc.js';
import { router } from './router.js';
import { applyTheme } from './theme.js';

applyTheme();
i18n.tell();

const back = await oidc.returned().catch(() => '/');
if (back) router.go(back, { replace: true });
router.start();
document.body.append(document.createElement('turnstream-app'));
