//! Events as a Parquet file: rows gather in memory and are written a group at a time.

use std::fs::File;
use std::sync::Arc;

use commands::ports::LogInfo;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use projections::ports::RawEntry;

use super::columns::{COLUMNS, Kind, Row, Value, row};

/// Rows of a group. Fewer would read slower, more take more memory.
const GROUP: usize = 50_000;

/// Bytes of a group, before they are compressed.
const GROUP_BYTES: usize = 32 * 1024 * 1024;

/// The file.
pub(super) struct Table {
    writer: SerializedFileWriter<File>,
    columns: Vec<Gathered>,
    rows: usize,
    bytes: usize,
}

/// Values of one column, of the rows that have one.
#[derive(Default)]
struct Gathered {
    texts: Vec<ByteArray>,
    numbers: Vec<i64>,
    /// For each row, whether it has a value: 1.
    levels: Vec<i16>,
}

impl Table {
    /// An empty table of this log's events.
    pub(super) fn new(file: File, log: &LogInfo) -> anyhow::Result<Self> {
        let columns = COLUMNS.map(|column| Arc::new(typed(column.name, column.kind)));
        let schema = Type::group_type_builder("events")
            .with_fields(columns.into())
            .build()?;
        let told = [
            ("turnstream.log", log.identity.0.clone()),
            ("turnstream.through", log.last.to_string()),
        ];
        let told = told.map(|(key, value)| KeyValue::new(key.to_owned(), value));
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("turnstream ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(told.into()));
        for column in COLUMNS.iter().filter(|column| !column.repeats) {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(column.name), false);
        }
        Ok(Self {
            writer: SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?,
            columns: COLUMNS.iter().map(|_| Gathered::default()).collect(),
            rows: 0,
            bytes: 0,
        })
    }

    /// A row behind the others.
    pub(super) fn add(&mut self, entry: &RawEntry) -> anyhow::Result<()> {
        self.gather(row(entry));
        self.bytes += entry.bytes.len();
        if self.rows >= GROUP || self.bytes >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    /// The whole file is written.
    pub(super) fn close(mut self) -> anyhow::Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.close()?;
        Ok(())
    }

    fn gather(&mut self, row: Row) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.levels.push(i16::from(value.is_some()));
            match value {
                Some(Value::Text(text)) => column.texts.push(ByteArray::from(text)),
                Some(Value::Number(number)) => column.numbers.push(number),
                None => {}
            }
        }
        self.rows += 1;
    }

    fn write_group(&mut self) -> anyhow::Result<()> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            column.write(&mut group)?;
            *column = Gathered::default();
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Gathered {
    fn write(&self, group: &mut SerializedRowGroupWriter<'_, File>) -> anyhow::Result<()> {
        let Some(mut writer) = group.next_column()? else {
            anyhow::bail!("the table has more columns than its schema");
        };
        let levels = Some(self.levels.as_slice());
        match writer.untyped() {
            ColumnWriter::ByteArrayColumnWriter(_) => {
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&self.texts, levels, None)?
            }
            _ => writer
                .typed::<Int64Type>()
                .write_batch(&self.numbers, levels, None)?,
        };
        Ok(writer.close()?)
    }
}

fn typed(name: &str, kind: Kind) -> Type {
    let (physical, logical) = match kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Json => (Physical::BYTE_ARRAY, Some(LogicalType::Json)),
        Kind::Number => (Physical::INT64, None),
        Kind::Time => {
            let in_utc = LogicalType::timestamp(true, TimeUnit::MILLIS);
            (Physical::INT64, Some(in_utc))
        }
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
        .expect("the type has the form of its values")
}

#[cfg(test)]
mod tests {
    use super::*;
    use commands::ports::LogIdentity;
    use contract::{Kind as GameKind, WriterId};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    use testkit::fixtures::Game;

    fn log() -> LogInfo {
        LogInfo {
            identity: LogIdentity("one".into()),
            first: 1,
            last: 9,
        }
    }

    fn read_back(write: impl FnOnce(&mut Table)) -> SerializedFileReader<File> {
        let file = tempfile::tempfile().expect("a temporary file");
        let mut table = Table::new(file.try_clone().expect("it can be"), &log()).expect("a table");
        write(&mut table);
        table.close().expect("it can be written");
        SerializedFileReader::new(file).expect("it can be read")
    }

    #[test]
    fn what_was_written_is_read_back_group_by_group() {
        let (mut game, started) = Game::start(GameKind::Mancala, WriterId(1));
        let envelopes = [started, game.play(), game.play()];
        let reader = read_back(|table| {
            for (seq, envelope) in (1..).zip(&envelopes) {
                let entry = RawEntry {
                    seq,
                    kind: "mancala".to_owned(),
                    game: envelope.id.game.to_string(),
                    name: envelope.event.name().to_owned(),
                    bytes: envelope.to_bytes(),
                };
                table.add(&entry).expect("it can be written");
                table.write_group().expect("it can be written");
            }
        });
        assert_eq!(reader.metadata().num_row_groups(), 3);
        let rows: Vec<_> = reader
            .get_row_iter(None)
            .expect("rows")
            .map(|row| row.expect("a row"))
            .collect();
        let names: Vec<_> = rows
            .iter()
            .map(|row| row.get_string(3).expect("a name").clone())
            .collect();
        assert_eq!(names, ["started", "moved", "moved"]);
        for (seq, (row, envelope)) in (1..).zip(rows.iter().zip(&envelopes)) {
            assert_eq!(row.get_long(0).expect("a number"), seq);
            assert_eq!(row.get_string(1).expect("a text"), &envelope.id.to_string());
            assert_eq!(row.get_timestamp_millis(7).expect("a time"), envelope.time.0);
        }
    }

    #[test]
    fn a_table_without_rows_is_one() {
        let reader = read_back(|_| {});
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
        assert_eq!(
            reader.metadata().file_metadata().schema().get_fields().len(),
            COLUMNS.len()
        );
    }
}
